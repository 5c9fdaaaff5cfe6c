import type { Command, ParsedArgs } from '../command.ts';
import { SESSION_FLAGS } from '../sessions/flags.ts';
import { defineSubcommands, type Subcommand } from '../subcommands.ts';

const FILTERS = ['agent', 'cwd', 'since', 'until', 'model'];

export const sessions: Command = defineSubcommands({
  name: 'sessions',
  description:
    'Lists, searches, exports, compares, watches and deletes the sessions that agents have stored on\n' +
    'this machine.',
  flags: SESSION_FLAGS,
  actions: {
    list: {
      usage: '[--all | --cwd DIR] [--agent a,b] [--since 7d] [--limit N]',
      about: 'List sessions of this folder, newest first',
      maxArgs: 0,
      flags: [...FILTERS, 'all', 'limit'],
      run: async (args) => (await import('../sessions/list.ts')).listSessions(args),
    },
    show: one('Show the conversation and how to resume it', async (args) =>
      (await import('../sessions/show.ts')).showSession(args),
    ),
    search: {
      usage: 'WORD... [--agent a,b] [--cwd DIR] [--since 7d]',
      about: 'Search titles, prompts and answers in all folders',
      minArgs: 1,
      maxArgs: Number.POSITIVE_INFINITY,
      flags: [...FILTERS, 'limit'],
      run: async (args) => (await import('../sessions/search.ts')).searchSessions(args),
    },
    export: {
      usage: 'ID [--format markdown|html|json|jsonl] [--out FILE]',
      about: 'Export a session as a document',
      minArgs: 1,
      maxArgs: 1,
      flags: ['format', 'out'],
      run: async (args) => (await import('../sessions/export.ts')).exportSession(args),
    },
    cost: {
      usage: '[--by agent|model|day|project] [--since 30d]',
      about: 'Show tokens and cost in all folders',
      maxArgs: 0,
      flags: [...FILTERS, 'by'],
      run: async (args) => (await import('../sessions/cost.ts')).showCosts(args),
    },
    diff: {
      usage: 'ID ID',
      about: 'Compare two sessions',
      minArgs: 2,
      maxArgs: 2,
      flags: [],
      run: async (args) => (await import('../sessions/show.ts')).diffSessions(args),
    },
    watch: {
      usage: '[ID | --all | --cwd DIR]',
      about: 'Follow new messages of one session or of this folder',
      maxArgs: 1,
      flags: ['agent', 'cwd', 'all', 'model'],
      run: async (args) => (await import('../sessions/watch.ts')).watchSessions(args),
    },
    delete: {
      usage: 'ID... [--yes]',
      about: 'Delete sessions permanently; asks first',
      minArgs: 1,
      maxArgs: Number.POSITIVE_INFINITY,
      flags: ['yes'],
      run: async (args) => (await import('../sessions/delete.ts')).deleteSessions(args),
    },
  },
  fallback: 'list',
  examples: [
    { command: 'amux sessions', about: 'List the sessions of this folder' },
    {
      command: 'amux sessions --all --agent claude,codex --since 7d',
      about: 'List the recent sessions of two agents in all folders',
    },
    { command: 'amux sessions search "race condition" queue', about: 'Find sessions by content' },
    { command: 'amux sessions show 3f2a91bc', about: 'Show a session by a unique id prefix' },
    { command: 'amux run -a claude --resume ID "continue"', about: 'Resume a session; --fork ID leaves it unchanged' },
    { command: 'amux sessions export claude:3f2a91bc --out talk.html', about: 'Export a self-contained HTML page' },
    { command: 'amux sessions cost --by day --since 30d', about: 'Show the cost per day' },
    { command: 'amux sessions watch', about: 'Follow running agents from another terminal' },
  ],
  notes: [
    "ID: the agent's session id, agent:id, or a unique prefix. A search matches all words; the last may be a prefix.",
    'Costs with ~ are estimated from model prices; - means unknown.',
  ],
});

function one(about: string, run: (args: ParsedArgs) => Promise<number>): Subcommand {
  return { usage: 'ID', about, minArgs: 1, maxArgs: 1, flags: [], run };
}
