import type { DaemonSettingsView, SettingsPatch } from '@agent-mux/api/browser';
import { useQuery as useAnswer, useQueryClient } from '@tanstack/react-query';
import { CallError, call } from '../../data/call.ts';
import { tell } from '../../parts/toasts.tsx';

const KEY = ['settings'];

export function useSettings() {
  return useAnswer({ queryKey: KEY, queryFn: ({ signal }) => call('getSettings', {}, signal), staleTime: 0 });
}

/** Null: it is done, and said. Else why not, in words for beside the field. */
export type ChangeSettings = (patch: SettingsPatch, done: string) => Promise<string | null>;

/** Changes what was looked at: what somebody else has changed meanwhile is shown first. */
export function useChangeSettings(): ChangeSettings {
  const queries = useQueryClient();
  return async (patch, done) => {
    try {
      const seen = queries.getQueryData<DaemonSettingsView>(KEY);
      const body = seen === undefined ? patch : { revision: seen.revision, ...patch };
      queries.setQueryData(KEY, await call('changeSettings', { body }));
      tell(done);
      for (const queryKey of [['limits'], ['notifications']]) await queries.invalidateQueries({ queryKey });
      return null;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code === 'CONFIG_CHANGED') await queries.invalidateQueries({ queryKey: KEY });
      return [error.message, error.hint].filter(Boolean).join(' · ');
    }
  };
}
