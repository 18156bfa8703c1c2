import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** Sessions: what they outlive and what ends with them. */
final class Sessions {
    private Sessions() {}

    static void expired_session_is_replaced(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        CuratorFramework other = s.client();
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("ephemeral"));
        long session = Scenario.sessionId(client);
        List<ConnectionState> states = statesOf(client);
        s.expire(client);
        Check.equal(other.checkExists().forPath(s.path("ephemeral")), null);
        Check.until(() -> "a new session, states " + states, () -> states.equals(List.of(
                ConnectionState.SUSPENDED, ConnectionState.LOST, ConnectionState.RECONNECTED)));
        Check.isTrue(Scenario.sessionId(client) != session, "it is the same session");
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("ephemeral"));
    }

    static void reconnect_keeps_the_session(Scenario s) throws Exception {
        Relay relay = s.relay();
        CuratorFramework client = s.client(relay);
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("ephemeral"));
        long session = Scenario.sessionId(client);
        List<ConnectionState> states = statesOf(client);
        relay.hangUp();
        Check.until(() -> "the connection to be back, states " + states, () -> states.equals(List.of(
                ConnectionState.SUSPENDED, ConnectionState.RECONNECTED)));
        Check.equal(Scenario.sessionId(client), session);
        Check.equal(client.checkExists().forPath(s.path("ephemeral")).getEphemeralOwner(), session);
    }

    static void session_needs_its_password(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        client.create().withMode(CreateMode.EPHEMERAL).forPath(s.path("ephemeral"));
        ZooKeeper mine = client.getZookeeperClient().getZooKeeper();
        List<KeeperState> states = new CopyOnWriteArrayList<>();
        byte[] wrong = mine.getSessionPasswd().clone();
        wrong[3] ^= 1;
        try (ZooKeeper thief = new ZooKeeper(s.connectString, 10_000,
                event -> states.add(event.getState()), mine.getSessionId(), wrong)) {
            Check.until("the thief to be refused", () -> states.equals(List.of(KeeperState.Expired)));
            Check.equal(thief.getState(), ZooKeeper.States.CLOSED);
        }
        Check.equal(client.checkExists().forPath(s.path("ephemeral")).getEphemeralOwner(), mine.getSessionId());
    }

    private static List<ConnectionState> statesOf(CuratorFramework client) {
        List<ConnectionState> states = new CopyOnWriteArrayList<>();
        client.getConnectionStateListenable().addListener((from, state) -> states.add(state));
        return states;
    }
}
