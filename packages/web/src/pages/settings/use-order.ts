import { useQueryClient } from '@tanstack/react-query';
import { tell, tellFault } from '../../parts/toasts.tsx';

/** Orders that change what a query has answered: done, said, and asked again; or said why not. */
export function useOrder(key: string): (work: () => Promise<unknown>, done: string) => Promise<boolean> {
  const queries = useQueryClient();
  return async (work, done) => {
    try {
      await work();
      tell(done);
      return true;
    } catch (error) {
      tellFault(error);
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: [key] });
    }
  };
}
