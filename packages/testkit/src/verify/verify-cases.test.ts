import {
  type AgentCapabilities,
  type AgentMode,
  APPROVAL_MODES,
  NO_CAPABILITIES,
  SYSTEM_PROMPT_MODES,
} from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { FakeAdapter } from '../fake-agent/index.ts';
import { agentSetups } from './agents/index.ts';
import { verifyCases } from './cases/index.ts';
import { EXCEPTIONS, isSwitchedOff, notAssertedIn } from './not-asserted.ts';
import { casesFor } from './run-cases.ts';

/** Facts about an agent that are in the matrix and that no run can verify; plugins are not driven by a run. */
const DECLARED_ONLY: ReadonlySet<string> = new Set([
  'supportedPlatforms',
  'requiresPty',
  'requiresGitRepo',
  'supportsPlugins',
  'contextWindow',
]);

const idsFor = (capabilities: Partial<AgentCapabilities>): string[] => {
  const mode: AgentMode = {
    name: 'm',
    driver: 'live',
    summary: '',
    capabilities: { ...NO_CAPABILITIES, ...capabilities },
  };
  return casesFor(new FakeAdapter({ steps: [] }), mode, agentSetups.claude!).map(({ id }) => id);
};

describe('verification cases', () => {
  it('cover every capability that an adapter can declare', () => {
    const shown = new Set(verifyCases.flatMap(({ shows }) => shows));
    const entries = [
      ...APPROVAL_MODES.map((mode) => `approvalModes.${mode}` as const),
      ...SYSTEM_PROMPT_MODES.map((mode) => `systemPrompt.${mode}` as const),
    ];
    const names = Object.keys(NO_CAPABILITIES).filter((name) => !['approvalModes', 'systemPrompt'].includes(name));
    const wanted = [...names.filter((name) => !DECLARED_ONLY.has(name)), ...entries];
    expect(wanted.filter((name) => ![...shown].some((one) => one === name))).toEqual([]);
  });

  it('have two models of each agent that requests distinguish, or model cases could not fail', () => {
    const same = Object.values(agentSetups).filter(({ model, otherModel }) => model.seen === otherModel.seen);
    // Continue's CLI accepts no model, so that none of those cases applies.
    expect(same.map(({ agent }) => agent)).toEqual(['continue']);
  });

  it('have unique ids', () => {
    const ids = verifyCases.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are those whose needs the mode declares', () => {
    expect(idsFor({})).not.toContain('fork');
    expect(idsFor({ canFork: true })).toContain('fork');
    expect(idsFor({ approvalModes: ['plan'] })).toContain('plan-safety');
    expect(idsFor({ approvalModes: ['plan'] })).not.toContain('approval-granted');
    expect(idsFor({})).toContain('refused');
  });
});

describe('quirks that switch assertions off', () => {
  it('are declared by at least one case', () => {
    const missing = Object.values(agentSetups).flatMap((setup) =>
      [setup.quirks ?? {}, ...Object.values(setup.modeQuirks ?? {})].flatMap((quirks) =>
        EXCEPTIONS.filter(
          (quirk) =>
            isSwitchedOff({ quirks }, quirk) && !verifyCases.some(({ unasserted }) => unasserted?.includes(quirk)),
        ),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('are listed in the result of the case, and only there', () => {
    const tool = verifyCases.find(({ id }) => id === 'tool')!;
    expect(notAssertedIn(tool, { quirks: { rateLimit: 'silent' }, limitations: ['tool-output-hidden'] })).toEqual([
      "a tool's output reaches the caller",
    ]);
    expect(notAssertedIn(tool, { quirks: { rateLimit: 'silent' } })).toEqual([]);
  });
});
