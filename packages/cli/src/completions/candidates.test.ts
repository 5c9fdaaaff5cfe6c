import { describe, expect, it } from 'vitest';
import { candidatesFor, type Names } from './candidates.ts';
import { FILES } from './scripts.ts';

const names: Names = {
  agents: async () => ['claude', 'codex', 'gemini'],
  profiles: async () => ['careful', 'quick'],
  sessions: async () => [
    { word: '3f2a91bc', about: 'claude: the parser' },
    { word: '3f7b0000', about: 'demo: hello' },
  ],
  schedules: async () => [{ word: 't4qpg2gd', about: '0 7 * * *: demo' }],
  targets: async () => [{ word: 'phone', about: 'webhook' }],
};

async function words(line: string): Promise<string[]> {
  return (await candidatesFor(line.split(' '), names)).map(({ word }) => word);
}

describe('candidatesFor', () => {
  it.each<[string, string[]]>([
    ['pro', ['profiles']],
    ['skills ', ['list', 'add', 'remove']],
    ['schedule re', ['resume', 'remove']],
    ['schedule remove ', ['t4qpg2gd']],
    ['schedule --missed ', ['run', 'skip']],
    ['notify test ', ['phone']],
    ['skills --json re', ['remove']],
    ['run --appr', ['--approval-mode', '--approval-timeout']],
    ['run --agent claude --ag', []],
    ['run --allow-tool x --allow', ['--allow-tool']],
    ['run --profile ', ['careful', 'quick']],
    ['run --profile=c', ['--profile=careful']],
    ['run --profile = c', ['careful']],
    ['run --profile =', ['careful', 'quick']],
    ['run -a c', ['claude', 'codex']],
    ['run -m c', []],
    ['run --yolo=c', []],
    ['run --approval-mode p', ['prompt', 'plan']],
    ['run -a demo -- --a', []],
    ['skills add --agent claude,c', ['claude,codex']],
    ['skills list --fo', []],
    ['skills add --fo', ['--force']],
    ['skills add ', [FILES]],
    ['run --cwd ', [FILES]],
    ['detect g', ['gemini']],
    ['verify claude c', ['claude', 'codex']],
    ['plugins install g', ['gemini']],
    ['plugins install claude ', []],
    ['plugins install claude ./', [FILES]],
    ['profiles show ', ['careful', 'quick']],
    ['profiles set c', ['careful']],
    ['attach 3f2', ['3f2a91bc']],
    ['rm 3f2a91bc 3f', ['3f2a91bc', '3f7b0000']],
    ['send 3f2a91bc 3f', []],
    ['completion z', ['zsh']],
    ['help com', ['completion']],
    ['help run x', []],
    ['nonsense ', []],
    ['toString ', []],
  ])('%j', async (line, wanted) => {
    expect(await words(line)).toEqual(wanted);
  });

  it('lists all commands with their summaries', async () => {
    const all = await candidatesFor([''], names);
    expect(all.map(({ word }) => word)).toEqual(expect.arrayContaining(['run', 'skills', 'help', '--version']));
    expect(all.find(({ word }) => word === 'run')?.about).toContain('prompt');
  });
});
