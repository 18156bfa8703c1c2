"""
A command that SIGKILL does not end while its tracer lives, as one whose disk or network does not answer.

It says "pids COMMAND" and "tracer PID", and "continued" when it gets SIGCONT. The tracer is a process outside of the command's group, which
stops the command on its way out (PTRACE_EVENT_EXIT). Linux only.
"""
import ctypes
import os
import signal

PTRACE_CONT, PTRACE_SEIZE, PTRACE_O_TRACEEXIT = 7, 0x4206, 1 << 6
PR_SET_PTRACER, ANY = 0x59616D61, ctypes.c_ulong(-1)
EVENT_EXIT = signal.SIGTRAP | 6 << 8

libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, pid, data):
    if libc.ptrace(request, pid, None, ctypes.c_void_p(data)) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def trace(command, is_traced):
    os.setsid()
    # Should the test never end it.
    signal.alarm(120)
    ptrace(PTRACE_SEIZE, command, PTRACE_O_TRACEEXIT)
    os.write(is_traced, b".")
    while True:
        _, status = os.waitpid(command, 0)
        if status >> 8 == EVENT_EXIT:
            signal.pause()
        ptrace(PTRACE_CONT, command, os.WSTOPSIG(status))


libc.prctl(PR_SET_PTRACER, ANY, 0, 0, 0)
for each in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(each, signal.SIG_IGN)
signal.signal(signal.SIGCONT, lambda *_: os.write(2, b"continued\n"))
command, (traced, is_traced) = os.getpid(), os.pipe()
tracer = os.fork()
if tracer == 0:
    trace(command, is_traced)
os.read(traced, 1)
print(f"tracer {tracer}\npids {command} \ninner", flush=True)
while True:
    signal.pause()
