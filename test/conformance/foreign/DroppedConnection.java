package org.apache.zookeeper;

import java.io.IOException;

/** In this package, for only here the client's socket can be reached. */
public final class DroppedConnection {
    private DroppedConnection() {}

    /** Breaks the connection of a client, which then connects again by itself. */
    public static void of(ZooKeeper client) throws IOException {
        client.cnxn.sendThread.testableCloseSocket();
    }
}
