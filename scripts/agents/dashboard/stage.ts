import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentCapabilities, modesOf } from '@agent-mux/core';
import {
  type AgentProof,
  agentProofs,
  type ModelRequest,
  type ScriptedCall,
  type ScriptedModel,
  scriptByPrompt,
  startScriptedModel,
} from '@agent-mux/testkit';
import type { Locator, Page } from 'playwright-core';
import { beginSession } from '../../../packages/web/test/begin-session.ts';
import { type Dashboard, openDashboard } from '../../../packages/web/test/open-dashboard.ts';
import { adapterOf } from '../adapters.ts';
import type { DashboardJob } from './prove.ts';

/** On a busy machine an agent takes its time to start. */
export const PATIENT = { timeout: 60_000 };
/** What the buttons of real agents say. */
export const YES = /^(?:Allow|Yes|Approve)\b(?!.*(?:always|session|again))/i;
export const NO = /^(?:Deny|No)\b/;

/** One agent, one daemon and one browser for all cases. */
export interface Stage {
  agent: string;
  proof: AgentProof;
  can: AgentCapabilities;
  model: ScriptedModel;
  dashboard: Dashboard;
  home: string;
  /** The environment of a person who runs the agent by hand. */
  env: Record<string, string>;
  /** Signed in, on the first page, and nobody has touched anything. */
  freshPage(): Promise<Page>;
  stop(): Promise<void>;
}

export async function setStage({ agent, path }: DashboardJob): Promise<Stage> {
  const proof = agentProofs[agent]!;
  const model = await startScriptedModel({
    models: [proof.model.seen, proof.otherModel.seen],
    scenario: scriptByPrompt(),
  });
  let [home, env]: [string, Record<string, string>] = ['', {}];
  const dashboard = await openDashboard({
    env: (own) => {
      home = own;
      env = { PATH: path, ...proof.env({ modelUrl: model.url, home }), ...proof.runEnv };
      return env;
    },
    async prepare(root) {
      const place = { modelUrl: model.url, home };
      const cwd = realpathSync(join(root, 'project'));
      const ready = typeof proof.terminal === 'object' ? proof.terminal.ready?.({ ...place, cwd }) : undefined;
      for (const [name, content] of Object.entries({ ...proof.files?.(place), ...ready?.files })) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), content);
      }
    },
  });
  const { page } = await dashboard.open();
  page.setDefaultTimeout(PATIENT.timeout);
  return {
    agent,
    proof,
    can: modesOf(adapterOf(agent))[0]!.capabilities,
    model,
    dashboard,
    home,
    env,
    async freshPage() {
      await page.goto(dashboard.url);
      await page.getByRole('navigation').first().waitFor();
      return page;
    },
    async stop() {
      await dashboard.stop();
      await model.close();
    },
  };
}

/** As a directive of the scripted model. */
export function callOf({ name, input }: ScriptedCall): string {
  return `[[tool ${name} ${JSON.stringify(input)}]]`;
}

/** Says something, wants to make a file, and says what became of it. */
export function wantsFile({ proof, dashboard }: Stage, file: string): string {
  const touch = proof.shellTool(`touch ${join(dashboard.work, file)}`);
  return `[[text I would make ${file}.]] ${callOf(touch)} [[text That was ${file}.]]`;
}

/** Begun in the dialog, as a person does. */
export async function begin({ agent, dashboard }: Stage, page: Page, prompt: string): Promise<void> {
  await beginSession(page, { prompt, folder: dashboard.work, agent });
}

export async function say(page: Page, text: string): Promise<void> {
  const message = page.getByLabel('Message', { exact: true });
  await message.fill(text);
  await message.press('Enter');
}

export async function sees(page: Page, text: string): Promise<void> {
  await page.getByRole('log').getByText(text, { exact: true }).first().waitFor(PATIENT);
}

/** What waits for an answer because of this file, in the inbox or in its session. */
export function requestFor(page: Page, file: string): Locator {
  return page
    .getByRole('article')
    .filter({ hasText: file })
    .filter({ has: page.getByRole('button', { name: YES }) });
}

export async function until(holds: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  for (const limit = Date.now() + PATIENT.timeout; !(await holds()); await sleep(50))
    assert.ok(Date.now() < limit, otherwise);
}

/** The request of the model in which somebody says this for the first time. */
export async function askedWith({ model }: Stage, text: string): Promise<ModelRequest> {
  return model.waitForRequest(({ auxiliary, prompt }) => !auxiliary && prompt.includes(text), PATIENT.timeout);
}

/** It goes on with a conversation in which this was said. */
export function assertHeard(request: ModelRequest, text: string): void {
  const heard = request.messages.map((message) => message.text).join('\n');
  assert.ok(heard.includes(text), `the model was not told of ${JSON.stringify(text)}: ${heard.slice(-1000)}`);
}
