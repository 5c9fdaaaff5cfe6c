import { altered, decoding, type Mutant } from './mutant.ts';

const IN_RECORDINGS = 'are `execute` in its recordings, too, if they have the name of a shell';
const KNOWN = 'are of a known kind, for each in its recordings';

export const TOOL_KINDS: readonly Mutant[] = [
  {
    what: 'no word of what its tools do',
    make: () => altered({ toolKinds: undefined }),
    caughtBy: KNOWN,
    also: /^its tools: are `execute` in its recordings/,
  },
  {
    what: 'a tool that it has forgotten',
    make: () =>
      decoding((line) =>
        line.startsWith('{"tool":')
          ? [{ type: 'tool_result', toolCallId: 't1', toolName: 'teleport', output: '' }]
          : undefined,
      ),
    caughtBy: KNOWN,
  },
  {
    what: 'a shell that only reads',
    make: () => altered({ toolKinds: { bash: 'read' } }),
    caughtBy: 'are `execute` if they have the name of a shell',
    also: /^its tools: are `execute` in its recordings/,
  },
  {
    what: 'a shell of which its decoder says that it only reads',
    make: () =>
      decoding((line) =>
        line.startsWith('{"tool":')
          ? [{ type: 'tool_result', toolCallId: 't1', toolName: 'run_command', kind: 'read', output: '' }]
          : undefined,
      ),
    caughtBy: IN_RECORDINGS,
  },
  {
    what: 'an unknown kind',
    make: () => altered({ toolKinds: { bash: 'execute', look: 'glance' } }),
    caughtBy: 'has no issues',
    also: /^its identity: |before anything is spawned|^its health|^a run: /,
  },
];
