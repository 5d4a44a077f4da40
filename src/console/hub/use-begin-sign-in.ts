import { useMutation } from '@tanstack/react-query';
import { useConnection } from '../session/connection.ts';

/** Leads the browser to the sign-in of a connection's server; `isLeaving` until the page is gone. */
export function useBeginSignIn(hub: string) {
  const { hubConnect } = useConnection();
  const signIn = useMutation({
    mutationFn: (connection: string) => hubConnect.beginSignIn(hub, connection),
    onSuccess: ({ authorization_url: url }) => location.assign(url),
  });
  return { signIn, isLeaving: signIn.isPending || signIn.isSuccess };
}
