import type { ReactNode } from 'react';
import { isLoopbackHost } from '../../addresses/host-address.ts';
import type { Grant, Interaction } from '../../contract/identity-api.ts';
import { StatusIcon } from '../components/status-icon.tsx';
import { formatCoarseDuration } from '../text/format.ts';

type ConsentRequest = Pick<Interaction, 'client' | 'service' | 'hub' | 'may' | 'lasts'>;

/** Shared by the consent page and the device page. `children` follow the first sentence. */
export function ConsentDetails({ request, children }: { request: ConsentRequest; children: ReactNode }) {
  const { client, may, lasts } = request;
  return (
    <>
      <p>
        <b>{client.name}</b> requests access to <GrantTarget grant={request} />. {children}
      </p>
      <ClientIdentity client={client} />
      <div>
        <p>Acting as you, it can:</p>
        <PermissionList permissions={may} />
      </div>
      <p>
        Access lasts at most {formatCoarseDuration(lasts.refresh_ms)}, or until you revoke it under <i>Your account</i>.
      </p>
    </>
  );
}

export function GrantTarget({ grant: { service, hub } }: { grant: Pick<Grant, 'service' | 'hub'> }) {
  if (!hub) return 'this control plane';
  const { name, slug } = hub;
  return (
    <>
      the {service === 'memory' ? 'memory' : 'tools'} of <b>{name}</b>
      {name === slug ? null : <> ({slug})</>}
    </>
  );
}

function PermissionList({ permissions }: { permissions: readonly string[] }) {
  return (
    <ul className="scopes">
      {permissions.map((permission) => (
        <li key={permission}>{permission}</li>
      ))}
    </ul>
  );
}

/** Whether the name of the client is verified, and where the authorization response goes. */
function ClientIdentity({
  client: { registered, host, id, redirect_host: redirectHost },
}: Pick<ConsentRequest, 'client'>) {
  const destination = <b className="mono">{redirectHost}</b>;
  return (
    <ul className="fact-list">
      {registered === 'dynamic' ? (
        <IdentityFact status="broken">
          It registered itself and its name is not verified. Any app can use this name.
        </IdentityFact>
      ) : host === null ? null : (
        <IdentityFact status="passed">
          <b>{host}</b> vouches for its name, at <span className="mono">{id}</span>
        </IdentityFact>
      )}
      {redirectHost === null ? null : isThisMachine(redirectHost) ? (
        <IdentityFact status="broken">
          The response goes to an app on this machine, at {destination}. Allow it only if you have just started the app
          yourself.
        </IdentityFact>
      ) : (
        <IdentityFact status="queued">The response goes to {destination}.</IdentityFact>
      )}
    </ul>
  );
}

/** Loopback ports and custom schemes: any app on this machine that owns the port or scheme receives the response. */
function isThisMachine(host: string): boolean {
  return host.endsWith(':') || isLoopbackHost(host.replace(/:\d+$/, ''));
}

function IdentityFact({ status, children }: { status: 'passed' | 'broken' | 'queued'; children: ReactNode }) {
  return (
    <li className={`is-${status}`}>
      <StatusIcon status={status} decorative title="" />
      <span>{children}</span>
    </li>
  );
}
