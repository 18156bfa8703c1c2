"""A process whose first thread has ended, which the kernel calls a zombie, while another one goes on."""
import ctypes
import os
import signal
import threading

for each in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)


def go_on():
    own = os.getpid()
    while open(f"/proc/{own}/stat").read().rsplit(") ", 1)[1][0] != "Z":
        pass
    os.write(1, f"pids {own} \ninner\n".encode())
    threading.Event().wait()


threading.Thread(target=go_on).start()
ctypes.CDLL(None).pthread_exit(None)
