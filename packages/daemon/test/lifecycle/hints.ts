import type { Slot, World } from './world.ts';

type Outcome = Awaited<ReturnType<World['call']>>;
interface Recommended {
  verb: string;
  run(world: World, slot: Slot): Promise<Outcome>;
}

/** The daemon calls of each CLI command. A hint with a verb that is missing here fails the test. */
const RUN: Readonly<Record<string, Recommended['run']>> = {
  restore: (world, slot) => world.restore(slot),
  stop: (world, slot) => world.stop(slot),
  send: (world, slot) => world.send(slot, 'quick'),
  park: (world, { id }) => world.call(`park ${id}`, (client) => client.sessions.park(id)),
  interrupt: (world, { id }) => world.call(`interrupt ${id}`, (client) => client.sessions.interrupt(id)),
  fork: (world, { id }) => world.call(`fork ${id}`, (client) => client.sessions.fork(id)),
  rm: (world, { id }) => world.call(`rm ${id}`, (client) => client.sessions.remove(id)),
  show: (world, { id }) => world.call(`show ${id}`, (client) => client.sessions.get(id)),
  events: (world, { id }) => world.call(`events ${id}`, (client) => client.sessions.events(id)),
  ps: (world) => world.call('ps', (client) => client.sessions.list()),
  inbox: (world) => world.call('inbox', (client) => client.inbox()),
  limits: (world) => world.call('limits', (client) => client.limits()),
  async new(world, { kind }) {
    const { agent } = kind;
    const cwd = world.machine.work;
    const created = await world.call('new', (client) => client.sessions.create({ agent, cwd }));
    if (created.ok) await world.daemon.ask((client) => client.sessions.remove(created.value.id));
    return created;
  },
};

/** Commands that a hint recommends, in its order: `amux VERB`, or a hint that starts with a verb. */
export function commandsIn(hint: string): Recommended[] {
  const named = [...hint.matchAll(/\bamux ([a-z]+)/g)].map(([, verb = '']) => verb);
  const [first = ''] = hint.split(' ', 1);
  const verbs = named.length === 0 && first !== 'send' && first in RUN ? [first] : named;
  return verbs.map((verb) => {
    const run = RUN[verb];
    if (!run) throw new Error(`the hint "${hint}" recommends "amux ${verb}", which the model does not support`);
    return { verb, run };
  });
}
