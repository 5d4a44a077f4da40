import type { ReactNode } from 'react';
import type { Grant, Interaction } from '../../contract/identity-api.ts';
import { Mark } from '../parts/mark.tsx';
import { spanText } from '../words/moments.ts';

type Asked = Pick<Interaction, 'client' | 'service' | 'hub' | 'may' | 'lasts'>;

/** Who asks, for what, and for how long: the same for programs with a browser and without. `children` follow the first sentence. */
export function Leave({ asked, children }: { asked: Asked; children: ReactNode }) {
  const { client, may, lasts } = asked;
  return (
    <>
      <p>
        <b>{client.name}</b> asks for <Target of={asked} />. {children}
      </p>
      <Identity client={client} />
      <div>
        <p>It may, as you:</p>
        <May may={may} />
      </div>
      <p>
        For {spanText(lasts.refresh_ms)} at most, or until you end it under <i>Your account</i>.
      </p>
    </>
  );
}

/** What leave is for. */
export function Target({ of: { service, hub } }: { of: Pick<Grant, 'service' | 'hub'> }) {
  if (!hub) return 'this control plane';
  const { name, slug } = hub;
  return (
    <>
      the {service === 'memory' ? 'memory' : 'tools'} of <b>{name}</b>
      {name === slug ? null : <> ({slug})</>}
    </>
  );
}

/** A list of permissions. */
export function May({ may }: { may: readonly string[] }) {
  return (
    <ul className="scopes">
      {may.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}

/** Whether anybody but the program itself says who it is, and where the answer goes. */
function Identity({ client: { registered, host, id, redirect_host: back } }: Pick<Asked, 'client'>) {
  const there = <b className="mono">{back}</b>;
  return (
    <ul className="told">
      {registered === 'dynamic' ? (
        <Told look="broken">It registered itself, and its name is not verified: any program can call itself so.</Told>
      ) : host === null ? null : (
        <Told look="passed">
          <b>{host}</b> vouches for its name, at <span className="mono">{id}</span>
        </Told>
      )}
      {back === null ? null : isHere(back) ? (
        <Told look="broken">
          The answer goes to a program on this machine, at {there}. Allow it only if you have just started it yourself.
        </Told>
      ) : (
        <Told look="queued">The answer goes to {there}.</Told>
      )}
    </ul>
  );
}

/** A port or a scheme of this machine: whichever program holds it gets the answer. */
function isHere(host: string): boolean {
  return /^(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?$|:$/.test(host);
}

function Told({ look, children }: { look: 'passed' | 'broken' | 'queued'; children: ReactNode }) {
  return (
    <li className={`is-${look}`}>
      <Mark look={look} silent title="" />
      <span>{children}</span>
    </li>
  );
}
