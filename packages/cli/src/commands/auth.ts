import type { AgentAuth } from '@agent-mux/core';
import { LOGIN } from '../agents/agent-table.ts';
import { type Command, hasFlag, JSON_FLAG, type ParsedArgs, TRUST_FLAG } from '../command.ts';
import { withDefaultSubcommand } from '../default-subcommand.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { defineSubcommands } from '../subcommands.ts';

const STATUS_TEXT: Readonly<Record<AgentAuth['status'], string>> = {
  authenticated: 'logged in',
  unauthenticated: 'not logged in',
  expired: 'login expired',
  unknown: 'login status unknown',
};

export const auth: Command = withDefaultSubcommand(
  defineSubcommands({
    name: 'auth',
    description: 'Shows which agents are logged in, and how to log in. Reads local files only; prints no secrets.',
    flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
    actions: {
      status: {
        usage: '[AGENT...]',
        about: 'Show login status; exits 5 if a named agent is logged out',
        maxArgs: Number.POSITIVE_INFINITY,
        run: status,
      },
      guide: { usage: 'AGENT', about: 'Show how to log in', minArgs: 1, maxArgs: 1, run: guide },
    },
    fallback: 'status',
    examples: [
      { command: 'amux auth', about: 'Show the status of all agents' },
      { command: 'amux auth claude codex', about: 'Show the status of two agents' },
      { command: 'amux auth guide claude', about: 'Show how to log in to Claude Code' },
      {
        command: `amux auth --json | jq -r '.agents[] | select(.status == "expired") | .agent'`,
        about: 'Print the agents whose login has expired',
      },
    ],
    notes: ['"?" means unknown: the login may be in a keychain, or a file cannot be read.'],
  }),
  'status',
  'amux auth [status] [AGENT...] | guide AGENT',
);

function status(args: ParsedArgs): Promise<number> {
  return withClient(
    args,
    async (client) => {
      const agents = args.positionals.map((agent) => client.adapterNamed(agent).agent);
      const states =
        agents.length === 0
          ? await client.auth.checkAll()
          : await Promise.all(agents.map((agent) => client.auth.check(agent)));
      const missing = states.some((state) => state.status === 'unauthenticated' || state.status === 'expired');
      const code = agents.length > 0 && missing ? EXIT.notLoggedIn : EXIT.ok;
      if (hasFlag(args, 'json')) {
        printJson<'auth status'>({ agents: states });
        return code;
      }
      const { green, yellow, dim } = paint(process.stdout);
      const rows = states.map(({ agent, status: is, method = '', identity = '', expiresAt, details = '' }) => [
        agent,
        LOGIN[is],
        method,
        identity,
        expiresAt === undefined ? '' : new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' '),
        details,
      ]);
      const head = ['AGENT', 'LOGGED IN', 'METHOD', 'ACCOUNT', 'EXPIRES (UTC)', 'SOURCE'];
      print(
        addHead(
          [head, ...rows],
          (cell, _, column) => {
            if (column !== 1) return column === 5 ? dim(cell) : cell;
            return cell === 'yes' ? green(cell) : cell === '?' ? dim(cell) : yellow(cell);
          },
          { keep: [0, 1], spare: [5, 4, 2] },
        ),
      );
      return code;
    },
    { asksAll: args.positionals.length === 0 },
  );
}

function guide(args: ParsedArgs): Promise<number> {
  return withClient(args, async (client) => {
    const [name = ''] = args.positionals;
    const { displayName } = client.adapterNamed(name);
    const [state, guidance] = await Promise.all([client.auth.check(name), client.auth.guidance(name)]);
    if (hasFlag(args, 'json')) return printJson<'auth guide'>({ ...guidance, state });
    const { bold, dim } = paint(process.stdout);
    const account = [state.method, state.identity, state.details].filter(Boolean).join(', ');
    const lines = [
      `${bold(displayName)}: ${STATUS_TEXT[state.status]}${account ? dim(` (${account})`) : ''}`,
      ...guidance.steps.map((step, index) => `  ${index + 1}. ${step}`),
    ];
    if (guidance.commands.length > 0) {
      lines.push('', ...guidance.commands.map(({ name: method, command }) => `  ${command}  ${dim(`# ${method}`)}`));
    }
    if (guidance.steps.length + guidance.commands.length === 0) lines.push('  no login instructions available');
    if (guidance.docsUrl) lines.push('', dim(`  ${guidance.docsUrl}`));
    return print(lines.join('\n'));
  });
}
