import { useQueryClient } from '@tanstack/react-query';
import { showErrorToast, showToast } from '../../components/toasts.tsx';

/** Runs a change, shows a toast with the result, and refetches the affected query. */
export function useMutation(key: string): (work: () => Promise<unknown>, done: string) => Promise<boolean> {
  const queries = useQueryClient();
  return async (work, done) => {
    try {
      await work();
      showToast(done);
      return true;
    } catch (error) {
      showErrorToast(error);
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: [key] });
    }
  };
}
