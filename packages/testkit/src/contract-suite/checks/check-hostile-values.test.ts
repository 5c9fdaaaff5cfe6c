import { type AgentMode, NO_CAPABILITIES, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { ValidAdapter } from '../../../test/valid-adapter/adapter.ts';
import { subjectOf } from '../subject.ts';
import { hostileValueChecks } from './check-hostile-values.ts';

const CAPABILITIES = {
  ...NO_CAPABILITIES,
  supportsModelSelection: true,
  supportsMultiTurn: true,
  approvalModes: ['deny', 'yolo'],
  canResume: true,
  supportsDeniedTools: true,
  supportsMCP: true,
  supportsAddDirs: true,
  systemPrompt: { append: 'native' },
} as const;

type Launched = Pick<SpawnArgs, 'args'> & Partial<SpawnArgs>;

function launchedBy(launch: (options: ResolvedRunOptions) => Launched): ValidAdapter {
  return new (class extends ValidAdapter {
    override readonly modes: readonly AgentMode[] = [
      { name: 'oneshot', driver: 'oneshot', summary: 'a process per turn', capabilities: CAPABILITIES },
    ];
    override buildSpawnArgs({ prompt, cwd, ...rest }: ResolvedRunOptions): SpawnArgs {
      const built = launch({ prompt, cwd, ...rest });
      return { command: 'agent', env: {}, cwd, usePty: false, stdin: prompt, ...built };
    }
  })();
}

async function broken(launch: (options: ResolvedRunOptions) => Launched): Promise<string[]> {
  const failed: string[] = [];
  for (const { sentence, run } of hostileValueChecks(subjectOf(launchedBy(launch), {}))) {
    try {
      await run();
    } catch {
      failed.push(sentence.replace(' stays one value, whatever it contains', ''));
    }
  }
  return failed;
}

const json = (value: unknown) => JSON.stringify(value);

describe('hostile values', () => {
  it('do nothing to an adapter that keeps them together', async () => {
    const sound = ({
      model,
      deniedTools = [],
      mcpServers,
      systemPrompt,
      sessionId,
      addDirs = [],
    }: ResolvedRunOptions) => ({
      args: [
        ...(model ? [`--model=${model}`] : []),
        ...(sessionId ? [`--resume=${sessionId}`] : []),
        ...deniedTools.map((tool) => `--deny=${tool}`),
        ...addDirs.map((dir) => `--dir=${dir}`),
      ],
      files: { 'settings.json': json({ mcpServers, systemPrompt }) },
    });
    expect(await broken(sound)).toEqual([]);
  });

  it.each<[string, string[], (options: ResolvedRunOptions) => Launched]>([
    ['a value after its flag', ['model'], ({ model }) => ({ args: model ? ['--model', model] : [] })],
    [
      'a flag that takes all that follow',
      ['deniedTools'],
      ({ deniedTools = [] }) => ({ args: ['--deny', ...deniedTools] }),
    ],
    ['an id as a bare argument', ['sessionId'], ({ sessionId }) => ({ args: sessionId ? ['resume', sessionId] : [] })],
    [
      'a value that is a flag itself',
      ['nativePermissionMode'],
      ({ nativePermissionMode: mode }) => ({ args: mode ? [`--${mode}`] : [] }),
    ],
    ['words of a line', ['prompt'], ({ prompt }) => ({ args: prompt.split(' ') })],
    [
      'JSON that is glued together',
      ['systemPrompt with mode "append"'],
      ({ systemPrompt = '' }) => ({ args: [], files: { 'a.json': `{"prompt":"${systemPrompt}"}` } }),
    ],
    [
      'TOML that is glued together',
      ['systemPrompt with mode "append"'],
      ({ systemPrompt = '' }) => ({ args: [], files: { 'a.toml': `prompt = "${systemPrompt}"\n` } }),
    ],
    [
      'YAML that is glued together',
      ['systemPrompt with mode "append"'],
      ({ systemPrompt = '' }) => ({ args: [], files: { 'a.yml': `prompt: ${systemPrompt}\n` } }),
    ],
    [
      'a setting that is glued together',
      ['systemPrompt with mode "append"'],
      ({ systemPrompt = '' }) => ({ args: ['-c', `prompt="${systemPrompt}"`] }),
    ],
    ['a value in a shell command', ['prompt'], ({ prompt }) => ({ command: 'sh', args: ['-c', `agent '${prompt}'`] })],
    ['a file that is named by a value', ['model'], ({ model = '' }) => ({ args: [], files: { [`${model}.md`]: '' } })],
  ])('show %s', async (_, options, launch) => {
    expect(await broken(launch)).toEqual(options);
  });
});
