import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.Set;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.nodes.GroupMember;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.recipes.nodes.PersistentTtlNode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** Nodes that are kept in place. */
final class PersistentNodes {
    private PersistentNodes() {}

    static void persistent_node_comes_back(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        CuratorFramework other = s.client();
        PersistentNode node = s.closing(new PersistentNode(
                client, CreateMode.EPHEMERAL, false, s.path("node"), Scenario.bytes("0")));
        node.start();
        Check.equal(node.waitForInitialCreate(5, SECONDS), true);
        long created = other.checkExists().forPath(s.path("node")).getCzxid();
        other.delete().forPath(s.path("node"));
        Check.until("the node to be there again", () -> isNewer(other.checkExists().forPath(s.path("node")), created));
        node.setData(Scenario.bytes("1"));
        Check.until("the data", () -> Scenario.text(other.getData().forPath(s.path("node"))).equals("1"));

        long session = Scenario.sessionId(client);
        s.expire(client);
        Check.until("the node to be there in a new session", () -> {
            Stat stat = other.checkExists().forPath(s.path("node"));
            return stat != null && stat.getEphemeralOwner() != session;
        });
        Check.equal(Scenario.text(other.getData().forPath(s.path("node"))), "1");
        node.close();
        Check.equal(other.checkExists().forPath(s.path("node")), null);
    }

    static void persistent_ttl_node_lives_while_touched(Scenario s) throws Exception {
        CuratorFramework other = s.client();
        PersistentTtlNode node = s.closing(
                new PersistentTtlNode(s.client(), s.path("node"), 800, Scenario.bytes("data")));
        node.start();
        Check.equal(node.waitForInitialCreate(5, SECONDS), true);
        long created = other.checkExists().forPath(s.path("node")).getCzxid();
        String child = s.path("node/") + PersistentTtlNode.DEFAULT_CHILD_NODE_NAME;
        Check.until("the node to be touched", () -> {
            Stat stat = other.checkExists().forPath(child);
            return stat != null && stat.getVersion() >= 3;
        });
        Check.equal(other.checkExists().forPath(s.path("node")).getCzxid(), created);
        node.close();
        Check.until("the node to go by itself", () -> other.checkExists().forPath(s.path("node")) == null);
    }

    static void group_members_know_each_other(Scenario s) throws Exception {
        CuratorFramework client = s.client();
        GroupMember one = s.closing(new GroupMember(s.client(), s.path("group"), "one", Scenario.bytes("1")));
        GroupMember two = s.closing(new GroupMember(client, s.path("group"), "two", Scenario.bytes("2")));
        one.start();
        two.start();
        members(one, Set.of("one", "two"));
        members(two, Set.of("one", "two"));
        Check.equal(Scenario.text(two.getCurrentMembers().get("one")), "1");
        one.setThisData(Scenario.bytes("new"));
        Check.until("the new data", () -> Scenario.text(two.getCurrentMembers().get("one")).equals("new"));
        two.close();
        members(one, Set.of("one"));
    }

    private static void members(GroupMember member, Set<String> expected) throws Exception {
        Check.until("the members " + expected, () -> member.getCurrentMembers().keySet().equals(expected));
    }

    private static boolean isNewer(Stat stat, long zxid) {
        return stat != null && stat.getCzxid() > zxid;
    }
}
