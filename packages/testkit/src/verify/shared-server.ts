import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentMuxClient } from '@agent-mux/core';
import { HELLO, type ScriptedModel } from '../model/index.ts';
import { runEnvironment } from './environment.ts';
import type { CaseGroup } from './run-cases.ts';

/**
 * Agents that serve many sessions start slowly and answer fast: an open session keeps their server alive from case to
 * case, as in an application. It ends with the client.
 */
export async function holdServer(group: CaseGroup, model: ScriptedModel, client: AgentMuxClient): Promise<void> {
  const { adapter, mode, setup } = group;
  const startsServer = mode.driver === 'http' && !setup.service;
  if (!startsServer || group.cases.length < 2 || !mode.capabilities.supportsMultiTurn) return;
  const cwd = join(group.folder, 'keeper');
  mkdirSync(cwd, { recursive: true });
  model.setScenario(() => HELLO);
  const keeper = client.run({
    agent: adapter.agent,
    mode: mode.name,
    cwd,
    approvalMode: mode.capabilities.approvalModes.at(-1),
    prompt: 'Stay.',
    interactive: true,
    // The same as that of the cases: runs share a server only if nothing distinguishes them.
    env: runEnvironment(setup, group.warm),
    ...(mode.capabilities.supportsModelSelection ? { model: setup.model.name } : {}),
  });
  await new Promise<void>((resolve) => {
    keeper.once('turn_end', () => resolve());
    // The cases report a server that does not start.
    keeper.result.then(
      () => resolve(),
      () => resolve(),
    );
  });
}
