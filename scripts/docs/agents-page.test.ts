import { type AgentCapabilities, NO_CAPABILITIES } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { capabilityCell } from './capability-status.ts';

const capabilities: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canFork: true,
  approvalModes: ['prompt', 'yolo'],
  systemPrompt: { append: 'native', prepend: 'prefix' },
};

describe('capabilityCell', () => {
  it('distinguishes verified, declared and unsupported capabilities', () => {
    expect(capabilityCell('canFork', capabilities, { fork: 'passed' })).toBe('✓');
    expect(capabilityCell('canFork', capabilities, {})).toBe('○');
    expect(capabilityCell('canFork', capabilities, undefined)).toBe('○');
    expect(capabilityCell('canResume', capabilities, { resume: 'passed' })).toBe('–');
  });

  it('shows a failed case', () => {
    expect(capabilityCell('canFork', capabilities, { fork: 'failed' })).toBe('✗');
  });

  it('marks each list entry by its own case', () => {
    expect(capabilityCell('approvalModes', capabilities, { yolo: 'passed' })).toBe('prompt ○<br>yolo ✓');
    expect(capabilityCell('systemPrompt', capabilities, { 'system-prepend': 'passed' })).toBe(
      'append ○<br>prepend (prefix) ✓',
    );
    expect(capabilityCell('thinkingEfforts', capabilities, {})).toBe('–');
  });

  it('shows descriptive facts as text', () => {
    expect(capabilityCell('sessionPersistence', capabilities, {})).toBe('none');
    expect(capabilityCell('requiresPty', capabilities, {})).toBe('no');
  });
});
