/** The adapter to npm `zookeeper`, a binding to Apache's C client. */
export { NativeConnector } from './native-connector.js';
