import { useQuery } from '@tanstack/react-query';
import { useRoute, useSearchParams } from 'wouter';
import { ErrorDetails } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { parseConnectionSignInResult } from './sign-in-result.ts';

/** The result of the sign-in that the browser has just returned from. */
export function SignInNotice() {
  const [search, setSearch] = useSearchParams();
  const connections = useHubConnections(search.has('problem') || search.has('signed_in'));
  const result = connections && parseConnectionSignInResult(search, connections);
  if (!result) return null;
  const close = (
    <button type="button" className="quiet" onClick={() => setSearch('', { replace: true })}>
      Dismiss
    </button>
  );
  if ('signedInTo' in result)
    return (
      <p className="notice" role="status">
        Signed in at {result.signedInTo}. Its tools are available from the next call. {close}
      </p>
    );
  const { connection = 'the server', reason, cure, code } = result;
  return (
    <ErrorDetails description={{ message: `Sign-in at ${connection} failed: ${reason}`, cure, code }}>
      {close}
    </ErrorDetails>
  );
}

/** The connections of the hub in the address bar; empty outside of a hub page, undefined while loading. */
function useHubConnections(isEnabled: boolean) {
  const { hubs } = useClient();
  const [isHub, params] = useRoute('/hubs/:hub/*?');
  const slug = params?.hub ?? '';
  const { data, isError } = useQuery({
    queryKey: ['hub-connections', slug],
    queryFn: ({ signal }) => hubs.listConnections(slug, { signal }),
    enabled: isEnabled && isHub,
  });
  return isHub && !isError ? data : [];
}
