import type { AgentAuth } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { LOGIN } from '../agents/agent-table.ts';
import { type Command, type Given, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withImpliedAction } from '../implied-action.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';

const IN_WORDS: Readonly<Record<AgentAuth['status'], string>> = {
  authenticated: 'logged in',
  unauthenticated: 'nobody is logged in',
  expired: 'the login has expired',
  unknown: 'whether somebody is logged in cannot be seen',
};

export const auth: Command = withImpliedAction(
  commandOfActions({
    name: 'auth',
    about:
      'Says who is logged in to which agent, and how to log in. Only files and variables of this machine are looked at;\n' +
      'nothing is sent, nothing is changed, and no secret is printed.',
    flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
    actions: {
      status: {
        usage: '[AGENT...]',
        about: 'these agents, or all; exits with 5 when one that is named is not logged in',
        maxWords: Number.POSITIVE_INFINITY,
        run: status,
      },
      guide: { usage: 'AGENT', about: 'the steps and commands that log in', minWords: 1, maxWords: 1, run: guide },
    },
    otherwise: 'status',
    examples: [
      { command: 'amux auth', about: 'every agent' },
      { command: 'amux auth claude codex', about: 'two of them' },
      { command: 'amux auth guide claude', about: 'how to log in' },
      {
        command: `amux auth --json | jq -r '.agents[] | select(.status == "expired") | .agent'`,
        about: 'for a script',
      },
    ],
    notes: ['"?" means that it cannot be seen from here: the login may be in a keychain, or a file cannot be read.'],
  }),
  'status',
  'amux auth [status] [AGENT...] | guide AGENT',
);

function status(given: Given): Promise<number> {
  return withClient(
    given,
    async (client) => {
      const agents = given.words.map((agent) => client.adapterNamed(agent).agent);
      const states =
        agents.length === 0
          ? await client.auth.checkAll()
          : await Promise.all(agents.map((agent) => client.auth.check(agent)));
      const missing = states.some((state) => state.status === 'unauthenticated' || state.status === 'expired');
      const code = agents.length > 0 && missing ? EXIT.notLoggedIn : EXIT.ok;
      if (isOn(given, 'json')) {
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
      const head = ['AGENT', 'LOGGED IN', 'METHOD', 'WHO', 'UNTIL (UTC)', 'SEEN'];
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
    { asksAll: given.words.length === 0 },
  );
}

function guide(given: Given): Promise<number> {
  return withClient(given, async (client) => {
    const [name = ''] = given.words;
    const { displayName } = client.adapterNamed(name);
    const [state, guidance] = await Promise.all([client.auth.check(name), client.auth.guidance(name)]);
    if (isOn(given, 'json')) return printJson<'auth guide'>({ ...guidance, state });
    const { bold, dim } = paint(process.stdout);
    const who = [state.method, state.identity, state.details].filter(Boolean).join(', ');
    const lines = [
      `${bold(displayName)}: ${IN_WORDS[state.status]}${who ? dim(` (${who})`) : ''}`,
      ...guidance.steps.map((step, index) => `  ${index + 1}. ${step}`),
    ];
    if (guidance.commands.length > 0) {
      lines.push('', ...guidance.commands.map(({ name: way, command }) => `  ${command}  ${dim(`# ${way}`)}`));
    }
    if (guidance.steps.length + guidance.commands.length === 0) lines.push('  nothing is known of how to log in');
    if (guidance.docsUrl) lines.push('', dim(`  ${guidance.docsUrl}`));
    return print(lines.join('\n'));
  });
}
