import { mkdirSync } from 'node:fs';
import { altered, dropping, launching, type Mutant } from './mutant.ts';

let launches = 0;
const ANY_LAUNCH = /^(?:the launch|the options) in mode |^its health|^a run: /;
const NOT_ALIKE = /asks nothing of the machine|do not share a process/;

export const LAUNCH: readonly Mutant[] = [
  ...[undefined, null, 'acme --json', {}].map(
    (given): Mutant => ({
      what: `a launch that is ${JSON.stringify(given)}`,
      make: () => altered({ buildSpawnArgs: () => given }),
      caughtBy: 'is complete for all options',
      also: ANY_LAUNCH,
    }),
  ),
  {
    what: 'a launch that is a promise, and fails',
    make: () => altered({ buildSpawnArgs: async () => Promise.reject(new Error('no')) }),
    caughtBy: 'is complete for all options',
    also: ANY_LAUNCH,
  },
  {
    what: 'a launch that throws something other than an Error',
    make: () =>
      launching(() => {
        throw 'no';
      }),
    caughtBy: 'is complete for all options',
    also: ANY_LAUNCH,
  },
  {
    what: 'a launch that counts',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, `${launches++}`] })),
    caughtBy: 'is the same for the same options',
    also: NOT_ALIKE,
  },
  {
    what: 'a launch by the clock',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, `--at=${performance.now()}`] })),
    caughtBy: 'does not access the machine and uses only the given environment',
    also: /is the same for the same options|do not share a process/,
  },
  {
    what: 'a launch that changes its options',
    make: () =>
      launching((spawn, options) => {
        options.model = 'mine';
        return spawn;
      }),
    caughtBy: 'does not change its options',
    also: /model takes effect|is the same for the same options|do not share a process/,
  },
  {
    what: 'a launch that writes',
    make: () =>
      launching((spawn, { scratchDir }) => {
        mkdirSync(scratchDir, { recursive: true });
        return spawn;
      }),
    caughtBy: 'writes no file',
    also: /does not access the machine/,
  },
  {
    what: 'a helper file outside the scratch folder',
    make: () => launching((spawn) => ({ ...spawn, files: { ...spawn.files, '../../.bashrc': '' } })),
    caughtBy: 'keeps its helper files below the scratch folder',
  },
  {
    what: 'a helper file by an absolute path',
    make: () => launching((spawn) => ({ ...spawn, files: { ...spawn.files, '/etc/profile': '' } })),
    caughtBy: 'keeps its helper files below the scratch folder',
  },
  {
    what: 'a helper file that is not text',
    make: () => launching((spawn) => ({ ...spawn, files: { ...spawn.files, settings: { a: 1 } } })),
    caughtBy: 'is complete for all options',
  },
  {
    what: 'a relative folder',
    make: () => launching((spawn) => ({ ...spawn, cwd: '.' })),
    caughtBy: 'is complete for all options',
    also: /another working folder/,
  },
  {
    what: 'an argument with a NUL',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, 'a\0b'] })),
    caughtBy: 'is complete for all options',
  },
  {
    what: 'a terminal that is not declared',
    make: () => launching((spawn) => ({ ...spawn, usePty: true })),
    caughtBy: 'is complete for all options',
  },
  {
    what: 'a helper file of two megabytes',
    make: () => launching((spawn) => ({ ...spawn, files: { big: 'x'.repeat(2_000_000) } })),
    caughtBy: 'is not larger than its options require',
    also: /mcpServers/,
  },
  {
    what: 'a lost prompt',
    make: () => launching((spawn, { mode }) => ({ ...spawn, ...(mode === 'oneshot' ? { stdin: '' } : {}) })),
    caughtBy: 'passes the prompt to the agent',
    also: /puts no long prompt into an argument/,
  },
  {
    what: 'a prompt as a bare argument',
    make: () => launching((spawn, { prompt }) => ({ ...spawn, args: ['-p', prompt, ...spawn.args] })),
    caughtBy: 'passes no prompt that could be taken for an option',
    also: /puts no long prompt into an argument/,
  },
  {
    what: 'a prompt as an argument',
    make: () => launching((spawn, { prompt }) => ({ ...spawn, args: [...spawn.args, `--prompt=${prompt}`] })),
    caughtBy: 'puts no long prompt into an argument',
  },
  {
    what: 'a prompt that is cut',
    make: () =>
      launching((spawn, { prompt, mode }) => (mode === 'oneshot' ? { ...spawn, stdin: prompt.slice(0, 999) } : spawn)),
    caughtBy: 'puts no long prompt into an argument',
  },
  {
    what: 'a key as an argument',
    make: () => launching((spawn, { env }) => ({ ...spawn, args: [...spawn.args, ...Object.values(env ?? {})] })),
    caughtBy: 'puts no value of env into an argument',
  },
  {
    what: 'keys of MCP servers as arguments',
    make: () =>
      launching((spawn, { mcpServers }) => ({ ...spawn, args: [...spawn.args, JSON.stringify(mcpServers ?? {})] })),
    caughtBy: 'the secrets of MCP servers are in no argument',
  },
  {
    what: 'one folder for all',
    make: () => launching((spawn) => ({ ...spawn, cwd: '/' })),
    caughtBy: 'another working directory is another launch',
  },
  ...(
    ['model', 'sessionId', 'forkSessionId', 'noSession', 'maxTurns', 'allowedTools', 'deniedTools', 'addDirs'] as const
  ).map(
    (flag): Mutant => ({
      what: `a dropped ${flag}`,
      make: () => dropping(flag),
      caughtBy: `${flag} takes effect`,
      // The runs of a mode that can be resumed continue in another session.
      ...(flag === 'sessionId' ? { also: /^a run: can be resumed/ } : {}),
    }),
  ),
  {
    what: 'a dropped system prompt',
    make: () => dropping('systemPrompt'),
    caughtBy: 'systemPrompt with mode "append" takes effect',
  },
  {
    what: 'a dropped image',
    make: () => dropping('attachments'),
    caughtBy: 'attachments with an image takes effect',
    also: /attachments with a file takes effect/,
  },
  {
    what: 'a dropped effort of thinking',
    make: () => dropping('thinkingEffort'),
    caughtBy: 'thinkingEffort "low" takes effect',
    also: /thinkingEffort "high" takes effect/,
  },
  {
    what: 'dropped MCP servers',
    make: () =>
      launching(({ files: _, ...spawn }) => ({
        ...spawn,
        args: spawn.args.filter((arg) => !arg.startsWith('--mcp=')),
      })),
    caughtBy: 'mcpServers over stdio takes effect',
    also: /mcpServers over (?:http|sse) takes effect/,
  },
  {
    what: 'yolo for those who said deny',
    make: () =>
      launching((spawn) => ({
        ...spawn,
        args: spawn.args.map((arg) => arg.replace('permissions=deny', 'permissions=yolo')),
      })),
    caughtBy: 'the more permissive approval modes differ from all others',
  },
  {
    what: 'a dropped native mode',
    make: () =>
      launching((spawn, { approvalMode }) => ({
        ...spawn,
        args: spawn.args.map((arg) => arg.replace(/^--permissions=.*/, `--permissions=${approvalMode}`)),
      })),
    caughtBy: 'nativePermissionMode takes effect or is refused',
  },
];
