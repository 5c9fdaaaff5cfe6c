import { useQuery } from '@tanstack/react-query';
import { call } from '../../data/call.ts';

const POLL_MS = 2_000;

/** All jobs, newest first; polled while one is running. */
export function useJobs() {
  return useQuery({
    queryKey: ['jobs'],
    queryFn: async ({ signal }) => (await call('listJobs', {}, signal)).jobs,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'running') === true ? POLL_MS : false),
  });
}
