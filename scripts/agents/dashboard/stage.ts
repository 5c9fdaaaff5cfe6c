import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentCapabilities, modesOf } from '@agent-mux/core';
import {
  type AgentSetup,
  agentSetups,
  type ModelRequest,
  type ScriptedCall,
  type ScriptedModel,
  scriptByPrompt,
  startScriptedModel,
} from '@agent-mux/testkit';
import type { Locator, Page } from 'playwright-core';
import { type Dashboard, openDashboard } from '../../../packages/web/test/open-dashboard.ts';
import { startSession } from '../../../packages/web/test/start-session.ts';
import { adapterOf } from '../adapters.ts';
import type { DashboardJob } from './verify.ts';

/** Agents start slowly on a busy machine. */
export const SLOW = { timeout: 60_000 };
/** Button labels of real agents. */
export const YES = /^(?:Allow|Yes|Approve)\b(?!.*(?:always|session|again))/i;
export const NO = /^(?:Deny|No)\b/;

/** Shared setup of all cases: one agent, one daemon and one browser. */
export interface Stage {
  agent: string;
  setup: AgentSetup;
  can: AgentCapabilities;
  model: ScriptedModel;
  dashboard: Dashboard;
  home: string;
  /** Environment of a user who runs the agent outside agent-mux. */
  env: Record<string, string>;
  /** A signed-in page, reset to the inbox. */
  freshPage(): Promise<Page>;
  stop(): Promise<void>;
}

export async function createStage({ agent, path }: DashboardJob): Promise<Stage> {
  const setup = agentSetups[agent]!;
  const model = await startScriptedModel({
    models: [setup.model.seen, setup.otherModel.seen],
    scenario: scriptByPrompt(),
  });
  let [home, env]: [string, Record<string, string>] = ['', {}];
  const dashboard = await openDashboard({
    env: (daemonHome) => {
      home = daemonHome;
      env = { PATH: path, ...setup.env({ modelUrl: model.url, home }), ...setup.runEnv };
      return env;
    },
    async prepare(root) {
      const context = { modelUrl: model.url, home };
      const cwd = realpathSync(join(root, 'project'));
      const ready = typeof setup.terminal === 'object' ? setup.terminal.ready?.({ ...context, cwd }) : undefined;
      for (const [name, content] of Object.entries({ ...setup.files?.(context), ...ready?.files })) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), content);
      }
    },
  });
  const { page } = await dashboard.open();
  page.setDefaultTimeout(SLOW.timeout);
  return {
    agent,
    setup,
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

/** A tool call as a directive of the scripted model. */
export function callOf({ name, input }: ScriptedCall): string {
  return `[[tool ${name} ${JSON.stringify(input)}]]`;
}

/** A script that announces a file, requests to create it, and confirms it. */
export function wantsFile({ setup, dashboard }: Stage, file: string): string {
  const touch = setup.shellTool(`touch ${join(dashboard.work, file)}`);
  return `[[text I would create ${file}.]] ${callOf(touch)} [[text That was ${file}.]]`;
}

/** Starts a session through the dialog, as a user does. */
export async function start({ agent, dashboard }: Stage, page: Page, prompt: string): Promise<void> {
  await startSession(page, { prompt, folder: dashboard.work, agent });
}

export async function say(page: Page, text: string): Promise<void> {
  const message = page.getByLabel('Message', { exact: true });
  await message.fill(text);
  await message.press('Enter');
}

export async function expectText(page: Page, text: string): Promise<void> {
  await page.getByRole('log').getByText(text, { exact: true }).first().waitFor(SLOW);
}

/** The open request about a file, in the inbox or in its session. */
export function requestFor(page: Page, file: string): Locator {
  return page
    .getByRole('article')
    .filter({ hasText: file })
    .filter({ has: page.getByRole('button', { name: YES }) });
}

export async function until(condition: () => boolean | Promise<boolean>, message: string): Promise<void> {
  for (const limit = Date.now() + SLOW.timeout; !(await condition()); await sleep(50))
    assert.ok(Date.now() < limit, message);
}

/** The first model request whose prompt contains the text. */
export async function requestWith({ model }: Stage, text: string): Promise<ModelRequest> {
  return model.waitForRequest(({ auxiliary, prompt }) => !auxiliary && prompt.includes(text), SLOW.timeout);
}

/** Asserts that the request continues a conversation that contains the text. */
export function assertReceived(request: ModelRequest, text: string): void {
  const received = request.messages.map((message) => message.text).join('\n');
  assert.ok(received.includes(text), `the model did not receive ${JSON.stringify(text)}: ${received.slice(-1000)}`);
}
