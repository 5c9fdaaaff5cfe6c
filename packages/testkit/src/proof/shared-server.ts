import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentMuxClient } from '@agent-mux/core';
import { HELLO, type ScriptedModel } from '../model/index.ts';
import type { CaseGroup } from './run-cases.ts';
import { runEnvironment } from './surroundings.ts';

/**
 * Agents that serve many sessions start slowly and answer fast: an open session keeps their server alive from case to
 * case, as it would be in an application. It ends with the client.
 */
export async function keepServer(group: CaseGroup, model: ScriptedModel, client: AgentMuxClient): Promise<void> {
  const { adapter, mode, proof } = group;
  const startsServer = mode.driver === 'http' && !proof.service;
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
    // The same as that of the cases: runs share a server only where nothing tells them apart.
    env: runEnvironment(proof, group.warm),
    ...(mode.capabilities.supportsModelSelection ? { model: proof.model.name } : {}),
  });
  await new Promise<void>((resolve) => {
    keeper.once('turn_end', () => resolve());
    // A server that does not start is for the cases to tell.
    keeper.result.then(
      () => resolve(),
      () => resolve(),
    );
  });
}
