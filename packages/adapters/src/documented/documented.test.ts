import { type AgentAdapter, CapabilityError, modesOf } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../catalog.ts';
import { AGENTS_WITHOUT_HEADLESS_CLI } from './without-headless-cli.ts';

/** The excluded one is a command of Claude Code, which was tested. */
const documented = builtInAdapters().filter(({ documentedBy, cliCommand }) => documentedBy && cliCommand !== 'claude');
const named = (agent: string): AgentAdapter => documented.find((adapter) => adapter.agent === agent)!;
const argsOf = (agent: string, options: Parameters<typeof createResolvedOptions>[0]) =>
  named(agent).buildSpawnArgs(createResolvedOptions({ agent, ...options })).args;

describe('documented agents', () => {
  it('are these, each with its documentation, and none claims to be verified', () => {
    expect(documented.map(({ agent }) => agent)).toEqual([
      'agy',
      'aider',
      'amp',
      'auggie',
      'autohand',
      'crush',
      'cursor',
      'devin',
      'hermes',
      'kiro',
      'roo',
      'vibe',
    ]);
    for (const { agent, documentedBy, verifiedVersions } of documented) {
      expect(documentedBy?.length, agent).toBeGreaterThan(0);
      expect(verifiedVersions, agent).toBeUndefined();
    }
  });

  it('leave out those without a headless CLI, with a reason', () => {
    expect(AGENTS_WITHOUT_HEADLESS_CLI.map(({ agent }) => agent)).toEqual(['windsurf']);
    for (const { agent, reason } of AGENTS_WITHOUT_HEADLESS_CLI) {
      expect(reason).not.toBe('');
      expect(builtInAdapters().some((adapter) => adapter.agent === agent)).toBe(false);
    }
  });

  it('list prompt only if the protocol supports approvals', () => {
    for (const adapter of documented) {
      for (const { name, driver, capabilities } of modesOf(adapter)) {
        const asks = capabilities.approvalModes.includes('prompt');
        if (driver === 'oneshot') expect(asks, `${adapter.agent}/${name}`).toBe(false);
      }
    }
    const asking = documented.filter(({ capabilities }) => capabilities.approvalModes.includes('prompt'));
    expect(asking.map(({ agent }) => agent)).toEqual(['autohand', 'cursor', 'devin', 'kiro', 'vibe']);
  });

  it('get a switch that skips permissions only under yolo', () => {
    const skipping = /--(force|yolo|trust-all-tools|dangerously-skip-permissions|auto-approve)|^(bypass|auto-approve)$/;
    for (const adapter of documented) {
      for (const mode of modesOf(adapter)) {
        for (const approvalMode of mode.capabilities.approvalModes) {
          const args = argsOf(adapter.agent, { mode: mode.name, approvalMode });
          if (approvalMode !== 'yolo') expect(args.join(' '), `${adapter.agent}/${mode.name}`).not.toMatch(skipping);
        }
      }
    }
  });

  it('use their own read-only modes for plan', () => {
    expect(argsOf('agy', { mode: 'print', approvalMode: 'plan' }).join(' ')).toMatch(/--mode[ =]plan/);
    expect(argsOf('auggie', { mode: 'acp', approvalMode: 'plan' })).toContain('--ask');
    expect(argsOf('cursor', { mode: 'stream-json', approvalMode: 'plan' }).slice(-2)).toEqual(['--mode', 'ask']);
    expect(argsOf('vibe', { mode: 'programmatic', approvalMode: 'plan' })).toContain('--agent=plan');
    const aider = argsOf('aider', { mode: 'message', approvalMode: 'plan' });
    for (const flag of ['--dry-run', '--no-git', '--no-suggest-shell-commands', '--no-gitignore']) {
      expect(aider).toContain(flag);
    }
  });

  it('refuse a native permission mode if they have none', () => {
    for (const [agent, mode] of [
      ['crush', 'run'],
      ['devin', 'acp'],
      ['amp', 'execute'],
    ] as const) {
      expect(() => argsOf(agent, { mode, nativePermissionMode: 'any' })).toThrow(CapabilityError);
    }
    expect(argsOf('vibe', { mode: 'programmatic', nativePermissionMode: 'chat' })).toContain('--agent=chat');
  });

  it('keep a prompt that looks like an option out of the options and reject one that is too long', () => {
    expect(argsOf('agy', { mode: 'print', approvalMode: 'plan', prompt: '--help' }).at(-1)).toBe('--print=--help');
    const prompt = 'x'.repeat(200_000);
    expect(() => argsOf('agy', { mode: 'print', approvalMode: 'plan', prompt })).toThrow(/too long/);
    expect(argsOf('roo', { mode: 'print', approvalMode: 'yolo', prompt }).join(' ')).not.toContain('xxx');
  });

  it('resume sessions of the hermes database and install it by pip, script or nix', () => {
    const hermes = documented.find(({ agent }) => agent === 'hermes');
    expect(hermes?.capabilities).toMatchObject({ canResume: true, sessionPersistence: 'sqlite' });
    expect(hermes?.installMethods?.map(({ type }) => type)).toEqual(['pip', 'curl', 'nix']);
  });

  it('resume with the documented flags', () => {
    const sessionId = 'T-1';
    expect(argsOf('amp', { mode: 'execute', approvalMode: 'yolo', sessionId })).toEqual([
      'threads',
      'continue',
      'T-1',
      '--execute',
      '--stream-json',
    ]);
    expect(argsOf('cursor', { mode: 'stream-json', approvalMode: 'yolo', sessionId })).toContain('--resume=T-1');
    expect(argsOf('agy', { mode: 'print', approvalMode: 'yolo', sessionId })).toContain('--conversation=T-1');
  });

  it('start the server of Mistral Vibe by its own command', () => {
    expect(named('vibe').buildSpawnArgs(createResolvedOptions({ mode: 'acp' }))).toMatchObject({
      command: 'vibe-acp',
      args: [],
    });
  });
});
