import { LinkedEnsemble } from '../../support/linked-ensemble.js';
import type { Configuration } from '../configuration/configuration.js';

/** Three servers, and an observer where the configuration has one. */
export function openServers(configuration: Configuration): Promise<LinkedEnsemble> {
  const { tickTimeMs, minSessionTimeoutMs, maxSessionTimeoutMs, observer } = configuration;
  const { initLimit, syncLimit, localSessions, reconfigurable, forceSync, snapCount } =
    configuration;
  const lines = {
    ...{ initLimit, syncLimit },
    ...(localSessions && { localSessionsEnabled: 'true', localSessionsUpgradingEnabled: 'true' }),
    ...(reconfigurable && { reconfigEnabled: 'true', standaloneEnabled: 'false' }),
  };
  return LinkedEnsemble.start({
    ...{ tickTimeMs, minSessionTimeoutMs, maxSessionTimeoutMs },
    observers: observer === 'none' ? 0 : 1,
    observerMaster: observer === 'of a follower',
    extraConfigOf: () => lines,
    hasFreezableLinks: !reconfigurable,
    systemProperties: {
      'zookeeper.forceSync': forceSync ? 'yes' : 'no',
      'zookeeper.snapCount': String(snapCount),
      // Members are removed and added without a password.
      ...(reconfigurable && { 'zookeeper.skipACL': 'yes' }),
    },
  });
}
