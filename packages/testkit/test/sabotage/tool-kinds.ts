import { altered, decoding, type Sabotage } from './sabotage.ts';

const IN_RECORDINGS = 'are `execute` in its recordings, too, where they have the name of a shell';
const KNOWN = 'are of a known kind, each that its recordings hold';

export const TOOL_KINDS: readonly Sabotage[] = [
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
    caughtBy: 'are `execute` where they have the name of a shell',
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
    what: 'a kind that nobody knows',
    make: () => altered({ toolKinds: { bash: 'execute', look: 'glance' } }),
    caughtBy: 'has no faults',
    also: /^its identity: |before anything is spawned|^its health|^a run: /,
  },
];
