import static org.apache.zookeeper.ZooDefs.Ids.OPEN_ACL_UNSAFE;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;

/** What the Java client sends: run by clients.capture.ts with the port of its relay. */
class GoldenJava {
  static volatile CountDownLatch connected = new CountDownLatch(1);

  public static void main(String[] args) throws Exception {
    String host = "127.0.0.1:" + args[0];
    ZooKeeper client = new ZooKeeper(host, 4000, GoldenJava::onEvent);
    connected.await();
    byte[] hello = "hello".getBytes();
    client.create("/java", hello, OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    client.create("/java/n-", null, OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL);
    client.create("/java/two", hello, OPEN_ACL_UNSAFE, CreateMode.PERSISTENT, new Stat());
    client.create("/java/box", hello, OPEN_ACL_UNSAFE, CreateMode.CONTAINER, new Stat());
    client.create(
        "/java/ttl", hello, OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, new Stat(), 60000);
    client.exists("/java/later", true);
    client.getData("/java", true, new Stat());
    client.setData("/java", "changed".getBytes(), 0);
    client.getChildren("/java", true);
    client.getChildren("/java", false, new Stat());
    // The form with a callback and no stat still sends getChildren.
    CountDownLatch listed = new CountDownLatch(1);
    AsyncCallback.ChildrenCallback count = (rc, path, context, names) -> listed.countDown();
    client.getChildren("/java", false, count, null);
    listed.await();
    client.getAllChildrenNumber("/java");
    client.getEphemerals();
    client.getEphemerals("/java");
    client.getACL("/java", new Stat());
    List<ACL> acl = Arrays.asList(new ACL(31, new Id("world", "anyone")), new ACL(1, new Id("ip", "127.0.0.1")));
    client.setACL("/java", acl, 0);
    CountDownLatch synced = new CountDownLatch(1);
    client.sync("/java", (rc, path, context) -> synced.countDown(), null);
    synced.await();
    client.addAuthInfo("digest", "ann:secret".getBytes());
    client.whoAmI();
    client.multi(
        Arrays.asList(
            Op.check("/java", 1),
            Op.create("/java/multi", hello, OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
            Op.create("/java/boxes", hello, OPEN_ACL_UNSAFE, CreateMode.CONTAINER),
            Op.create(
                "/java/late", hello, OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL.toFlag(), 60000),
            Op.setData("/java/multi", null, 0),
            Op.delete("/java/multi", -1)));
    try {
      client.multi(Arrays.asList(Op.delete("/java/two", 0), Op.check("/java/none", 0), Op.delete("/java/ttl", 0)));
    } catch (KeeperException expected) {
    }
    client.multi(Arrays.asList(Op.getData("/java"), Op.getChildren("/java"), Op.getData("/none")));
    client.multi(Collections.emptyList());
    Watcher watcher = event -> {};
    client.addWatch("/java", watcher, AddWatchMode.PERSISTENT);
    client.addWatch("/java/deep", watcher, AddWatchMode.PERSISTENT_RECURSIVE);
    client.getData("/java/two", watcher, new Stat());
    client.removeWatches("/java/two", watcher, Watcher.WatcherType.Data, false);
    try {
      client.delete("/java", 99);
    } catch (KeeperException expected) {
    }
    client.delete("/java/two", -1);
    reconnect();
    client.exists("/java", false);
    client.close();

    // Without persistent watches it sets them again as older clients do.
    connected = new CountDownLatch(1);
    ZooKeeper plain = new ZooKeeper(host, 4000, GoldenJava::onEvent);
    connected.await();
    plain.exists("/java/later", true);
    plain.getData("/java", true, null);
    plain.getChildren("/java", true);
    reconnect();
    plain.exists("/java", false);
    plain.close();
  }

  static void reconnect() throws Exception {
    connected = new CountDownLatch(1);
    System.out.println("cut");
    System.in.read();
    connected.await();
  }

  static void onEvent(org.apache.zookeeper.WatchedEvent event) {
    if (event.getState() == Watcher.Event.KeeperState.SyncConnected
        && event.getType() == Watcher.Event.EventType.None) connected.countDown();
  }
}
