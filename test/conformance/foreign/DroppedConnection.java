package org.apache.zookeeper;

import java.io.IOException;

/** In this package, because the client's socket is private to it. */
public final class DroppedConnection {
    private DroppedConnection() {}

    /** Breaks a client's connection; the client then reconnects by itself. */
    public static void of(ZooKeeper client) throws IOException {
        client.cnxn.sendThread.testableCloseSocket();
    }
}
