import type { EventBody } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';

/** Steps of the fake agent in most tests. */
export const event = (body: EventBody): Step => ({ do: 'event', event: body });
export const text = (delta: string): Step => event({ type: 'text_delta', delta });
export const sessionStart = event({ type: 'session_start', sessionId: '{{session}}' });
export const turnEnd = event({ type: 'turn_end', status: 'completed' });
export const live = (...turns: Step[][]): Step[] => [{ do: 'live', turns }];
