import type { DaemonSettingsView, SettingsPatch } from '@agent-mux/api/browser';
import { useQuery as useAnswer, useQueryClient } from '@tanstack/react-query';
import { showToast } from '../../components/toasts.tsx';
import { CallError, call } from '../../data/call.ts';

const KEY = ['settings'];

export function useSettings() {
  return useAnswer({ queryKey: KEY, queryFn: ({ signal }) => call('getSettings', {}, signal), staleTime: 0 });
}

/** Resolves to null on success, else to an error message to show next to the field. */
export type ChangeSettings = (patch: SettingsPatch, done: string) => Promise<string | null>;

/** Changes settings at the revision that the user saw. On a conflict the current values are loaded first. */
export function useChangeSettings(): ChangeSettings {
  const queries = useQueryClient();
  return async (patch, done) => {
    try {
      const seen = queries.getQueryData<DaemonSettingsView>(KEY);
      const body = seen === undefined ? patch : { revision: seen.revision, ...patch };
      queries.setQueryData(KEY, await call('updateSettings', { body }));
      showToast(done);
      for (const queryKey of [['limits'], ['notifications']]) await queries.invalidateQueries({ queryKey });
      return null;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.code === 'CONFIG_CONFLICT') await queries.invalidateQueries({ queryKey: KEY });
      return [error.message, error.hint].filter(Boolean).join(' · ');
    }
  };
}
