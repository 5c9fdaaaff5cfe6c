import type { ResolvedRunOptions } from '@agent-mux/core';
import { createResolvedOptions, only } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live } from '../../test/replay-droid.ts';
import { launchDroid } from './launch.ts';
import { jsonRpcCodec } from './live.ts';

describe('permissions of Droid', () => {
  const settings = (options: Partial<ResolvedRunOptions>) => {
    const codec = jsonRpcCodec();
    const [hello = ''] = codec.handshake(codec.open(createResolvedOptions({ mode: 'stream-jsonrpc', ...options })));
    return JSON.parse(hello).params;
  };
  const launch = (options: Partial<ResolvedRunOptions>) => launchDroid(createResolvedOptions(options));

  it.each(['prompt', 'accept-edits', 'deny', 'yolo', 'plan'] as const)(
    'asks in %s for the commands that Droid would run without asking',
    (approvalMode) => {
      const { files, env } = launch({ mode: 'stream-jsonrpc', approvalMode, scratchDir: '/scratch' });
      expect(env.FACTORY_RUNTIME_SETTINGS_PATH).toBe('/scratch/settings.json');
      expect(JSON.parse(files?.['settings.json'] ?? '').commandDenylist).toEqual(
        expect.arrayContaining(['ls', 'pwd', 'git log']),
      );
    },
  );

  it('allows nothing without asking unless everything is allowed', () => {
    for (const approvalMode of ['prompt', 'accept-edits', 'deny'] as const) {
      expect(settings({ approvalMode })).toMatchObject({ interactionMode: 'auto', autonomyLevel: 'off' });
    }
    expect(settings({ approvalMode: 'yolo' })).toMatchObject({ autonomyLevel: 'high', disabledToolIds: [] });
  });

  it('offers tools that never ask only if they are allowed', () => {
    const unasked = ['GenerateDroid', 'GenerateImage', 'Loop', 'Task'];
    expect(settings({ approvalMode: 'prompt' }).disabledToolIds).toEqual(expect.arrayContaining(unasked));
    const allowed = settings({ approvalMode: 'prompt', allowedTools: ['Task'] });
    expect(allowed.disabledToolIds).not.toContain('Task');
    expect(allowed.enabledToolIds).toContain('Task');
    const denied = settings({ approvalMode: 'prompt', deniedTools: ['Create'] });
    expect(denied.enabledToolIds).not.toContain('Create');
    expect(denied.disabledToolIds).toContain('Create');
  });

  it('plans without a shell, whatever is allowed', () => {
    const plan = settings({ approvalMode: 'plan', allowedTools: ['Execute', 'Task'] });
    expect(plan).toMatchObject({ interactionMode: 'spec', autonomyLevel: 'off', enabledToolIds: [] });
    expect(plan.disabledToolIds).toEqual(expect.arrayContaining(['Execute', 'Task']));
    expect(only(live('plan', { approvalMode: 'plan' }), 'tool_result')).toEqual([]);
  });

  it('changes both lists with the mode, between two turns', () => {
    const codec = jsonRpcCodec();
    const state = codec.open(createResolvedOptions({ approvalMode: 'yolo', thinkingEffort: 'low' }));
    const [line = ''] = codec.setApprovalMode?.('plan', state) ?? [];
    expect(JSON.parse(line)).toMatchObject({
      type: 'request',
      method: 'droid.update_session_settings',
      params: { interactionMode: 'spec', reasoningEffort: 'low', disabledToolIds: expect.arrayContaining(['Execute']) },
    });
  });

  it('runs no command in exec unless everything is allowed', () => {
    for (const approvalMode of ['plan', 'deny'] as const) {
      expect(launch({ mode: 'exec', approvalMode }).args.join(' ')).toContain('--remove-tools=Execute');
    }
    const free = launch({ mode: 'exec', approvalMode: 'yolo', deniedTools: ['Edit'] }).args.join(' ');
    expect(free).toContain('--skip-permissions-unsafe --remove-tools=Edit');
  });

  it('passes a native mode through', () => {
    expect(settings({ nativePermissionMode: 'auto/low' })).toMatchObject({
      interactionMode: 'auto',
      autonomyLevel: 'low',
    });
    expect(launch({ mode: 'exec', nativePermissionMode: 'medium' }).args).toEqual(
      expect.arrayContaining(['--auto=medium']),
    );
  });
});
