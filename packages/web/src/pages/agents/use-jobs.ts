import { useQuery } from '@tanstack/react-query';
import { call } from '../../data/call.ts';

const ASK_MS = 2_000;

/** The newest first; asked again while one runs. */
export function useJobs() {
  return useQuery({
    queryKey: ['jobs'],
    queryFn: async ({ signal }) => (await call('listJobs', {}, signal)).jobs,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'running') === true ? ASK_MS : false),
  });
}
