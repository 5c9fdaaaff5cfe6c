import { type Action, commandOfActions } from '../actions.ts';
import type { Command, Given } from '../command.ts';
import { SESSION_FLAGS } from '../sessions/flags.ts';

const FILTERS = ['agent', 'cwd', 'since', 'until', 'model'];

export const sessions: Command = commandOfActions({
  name: 'sessions',
  about:
    'The conversations that agents have stored on this machine, all of them in one form: list, read, search, export,\n' +
    'count, compare, watch and delete them.',
  flags: SESSION_FLAGS,
  actions: {
    list: {
      usage: '[--all | --cwd DIR] [--agent a,b] [--since 7d] [--limit N]',
      about: 'those of this folder, the newest first',
      maxWords: 0,
      flags: [...FILTERS, 'all', 'limit'],
      run: async (given) => (await import('../sessions/list.ts')).listSessions(given),
    },
    show: one('the whole conversation, and how to go on with it', async (given) =>
      (await import('../sessions/show.ts')).showSession(given),
    ),
    search: {
      usage: 'WORD... [--agent a,b] [--cwd DIR] [--since 7d]',
      about: 'in titles, prompts and answers of all folders; all words must occur, the last may be a beginning',
      minWords: 1,
      maxWords: Number.POSITIVE_INFINITY,
      flags: [...FILTERS, 'limit'],
      run: async (given) => (await import('../sessions/search.ts')).searchSessions(given),
    },
    export: {
      usage: 'ID [--format markdown|html|json|jsonl] [--out FILE]',
      about: 'as a document; an HTML page needs nothing else',
      minWords: 1,
      maxWords: 1,
      flags: ['format', 'out'],
      run: async (given) => (await import('../sessions/export.ts')).exportSession(given),
    },
    cost: {
      usage: '[--by agent|model|day|project] [--since 30d]',
      about: 'tokens and money, of all folders',
      maxWords: 0,
      flags: [...FILTERS, 'by'],
      run: async (given) => (await import('../sessions/cost.ts')).showCosts(given),
    },
    diff: {
      usage: 'ID ID',
      about: 'what two share and where they part',
      minWords: 2,
      maxWords: 2,
      flags: [],
      run: async (given) => (await import('../sessions/show.ts')).diffSessions(given),
    },
    watch: {
      usage: '[ID | --all | --cwd DIR]',
      about: 'what is said from now on, in one session or in all of this folder',
      maxWords: 1,
      flags: ['agent', 'cwd', 'all', 'model'],
      run: async (given) => (await import('../sessions/watch.ts')).watchSessions(given),
    },
    delete: {
      usage: 'ID... [--yes]',
      about: 'for ever; asks first',
      minWords: 1,
      maxWords: Number.POSITIVE_INFINITY,
      flags: ['yes'],
      run: async (given) => (await import('../sessions/delete.ts')).deleteSessions(given),
    },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux sessions', about: 'what was talked about in this folder' },
    { command: 'amux sessions --all --agent claude,codex --since 7d', about: 'of two agents, in all folders' },
    { command: 'amux sessions search "race condition" queue', about: 'where was that?' },
    { command: 'amux sessions show 3f2a91bc', about: 'a beginning of the id is enough' },
    { command: 'amux run -a claude --resume ID "go on"', about: 'go on with it; --fork ID leaves it as it is' },
    { command: 'amux sessions export claude:3f2a91bc --out talk.html', about: 'one page to keep or to send' },
    { command: 'amux sessions cost --by day --since 30d', about: 'what it came to' },
    { command: 'amux sessions watch', about: 'in another terminal, while agents work here' },
  ],
  notes: [
    'ID: the id of the agent, agent:id, or the beginning of one that no other session begins with.',
    'Costs with ~ are estimated from the prices of the models; - is not known.',
  ],
});

function one(about: string, run: (given: Given) => Promise<number>): Action {
  return { usage: 'ID', about, minWords: 1, maxWords: 1, flags: [], run };
}
