import { throughput } from './throughput.js';

/** redlock needs a majority of three independent servers. */
export const ensemble = [1, 64].map((tasks) =>
  throughput({
    name: `three servers, own key${tasks === 1 ? ', 1 task' : `s, ${tasks} tasks`}`,
    about: `${tasks === 1 ? 'One task' : `${tasks} tasks, each with a key of its own,`} on three servers of each kind, all on this machine.`,
    ...{ keys: 'own', tasks, place: 'ensemble' },
  }),
);
