import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { claudeProfile } from './profile.ts';

function define(config: Record<string, unknown>) {
  return claudeProfile.create('reviewer', 'Reviewer', claudeProfile.schema.parse(config));
}

function planOf(config: Record<string, unknown>, options: Parameters<typeof createResolvedOptions>[0]) {
  const adapter = define(config);
  return adapter.buildSpawnArgs(adapter.applyDefaults!(createResolvedOptions(options)));
}

describe('agent definition with the profile claude-code', () => {
  it('is the plain CLI under another name if it sets nothing', () => {
    const adapter = define({});
    expect([adapter.agent, adapter.displayName, adapter.cliCommand]).toEqual(['reviewer', 'Reviewer', 'claude']);
    const plan = planOf({}, { mode: 'live', cwd: '/somewhere' });
    expect(plan.cwd).toBe('/somewhere');
    expect(plan.args.join(' ')).toMatch(/--permission-mode=default$/);
  });

  it('applies its values', () => {
    const config = {
      command: '/opt/claude',
      work_dir: '/home/user/projects',
      env: { A: '1' },
      model: 'sonnet',
      permission_mode: 'dangerously-skip-permissions',
      max_turns: 50,
      allowed_tools: ['Read', 'Write', 'Bash'],
      system_prompt: 'You are helpful.',
    };
    const plan = planOf(config, { mode: 'oneshot', env: { B: '2' } });
    expect(plan).toMatchObject({ command: '/opt/claude', cwd: '/home/user/projects', env: { A: '1', B: '2' } });
    const args = plan.args.join(' ');
    for (const expected of [
      '--permission-mode=bypassPermissions',
      '--model=sonnet',
      '--append-system-prompt=You are helpful.',
      '--max-turns=50',
      '--allowedTools=Read --allowedTools=Write --allowedTools=Bash',
    ]) {
      expect(args).toContain(expected);
    }
  });

  it('lets run options override them', () => {
    const config = { model: 'sonnet', permission_mode: 'plan', max_turns: 50, env: { A: '1' } };
    const options = { mode: 'live', model: 'haiku', approvalMode: 'deny', maxTurns: 2, env: { A: '3' } } as const;
    const plan = planOf(config, options);
    expect(plan.args.join(' ')).toContain('--permission-mode=dontAsk --model=haiku --max-turns=2');
    expect(plan.env).toEqual({ A: '3' });
  });

  it('lets a run request prompts even if the definition skips them', () => {
    const config = { permission_mode: 'dangerously-skip-permissions' };
    const { args } = planOf(config, { mode: 'live', approvalMode: 'prompt' });
    expect(args.join(' ')).toContain('--permission-mode=default');
  });

  it('rejects unknown fields', () => {
    expect(claudeProfile.schema.safeParse({ modle: 'x' }).success).toBe(false);
    expect(claudeProfile.schema.safeParse({ max_turns: -1 }).success).toBe(false);
  });
});
