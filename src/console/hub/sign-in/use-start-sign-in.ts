import { useMutation } from '@tanstack/react-query';
import { useClient } from '../../session/client.ts';

/** Redirects to the sign-in page of the server. `isRedirecting` stays true until the page unloads. */
export function useStartSignIn(hub: string) {
  const { hubConnectionUse } = useClient();
  const signIn = useMutation({
    mutationFn: (connection: string) => hubConnectionUse.startSignIn(hub, connection),
    onSuccess: ({ authorization_url: url }) => location.assign(url),
  });
  return { signIn, isRedirecting: signIn.isPending || signIn.isSuccess };
}
