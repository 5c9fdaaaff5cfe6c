import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { capabilityCell } from './capability-status.ts';

const capabilities: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canFork: true,
  approvalModes: ['prompt', 'yolo'],
  systemPrompt: { append: 'native', prepend: 'prefix' },
};

describe('a cell of the matrix', () => {
  it('tells what is verified from what is only declared, and from what is not supported', () => {
    expect(capabilityCell('canFork', capabilities, { fork: 'passed' })).toBe('✓');
    expect(capabilityCell('canFork', capabilities, {})).toBe('○');
    expect(capabilityCell('canFork', capabilities, undefined)).toBe('○');
    expect(capabilityCell('canResume', capabilities, { resume: 'passed' })).toBe('–');
  });

  it('shows what no longer holds, even if another case passed', () => {
    expect(capabilityCell('canFork', capabilities, { fork: 'failed' })).toBe('✗');
  });

  it('marks each entry of a list by the case that shows this entry', () => {
    expect(capabilityCell('approvalModes', capabilities, { yolo: 'passed' })).toBe('prompt ○<br>yolo ✓');
    expect(capabilityCell('systemPrompt', capabilities, { 'system-prepend': 'passed' })).toBe(
      'append ○<br>prepend (prefix) ✓',
    );
    expect(capabilityCell('thinkingEfforts', capabilities, {})).toBe('–');
  });

  it('tells facts that no run can show in words', () => {
    expect(capabilityCell('sessionPersistence', capabilities, {})).toBe('none');
    expect(capabilityCell('requiresPty', capabilities, {})).toBe('no');
  });
});
