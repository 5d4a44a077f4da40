import type { RegistryInput, RegistryRemote } from '../../contract/registry-api.ts';
import { connectionNameFor, remoteAddress } from '../../contract/registry-remote.ts';
import { ClientSetUp } from '../hub/client-set-up.tsx';
import { CopyButton } from '../parts/copy-button.tsx';

const types: Readonly<Record<string, string>> = { 'streamable-http': 'Streamable HTTP', sse: 'HTTP with SSE (older)' };
const bearer = /^Bearer \{([^{}]+)\}$/;

/** A way to reach a server: its address, what it asks for, and the set-up of clients. */
export function RemoteView({ name, remote }: { name: string; remote: RegistryRemote }) {
  const { type, headers = [], variables = {} } = remote;
  const url = remoteAddress(remote);
  const header = headers.find((one) => one.name.toLowerCase() === 'authorization');
  const [, token] = bearer.exec(header?.value ?? '') ?? [];
  const title = headers.some(({ isRequired }) => isRequired) ? 'With a header' : 'By its address alone';
  return (
    <section className="remote" aria-label={url}>
      <h2>
        {token === undefined ? title : 'With a token'} <span className="faint plain">{types[type] ?? type}</span>
      </h2>
      <p className="command">
        <code>{url}</code>
        <CopyButton text={url} />
      </p>
      <dl className="inputs">
        {Object.entries(variables).map(([key, input]) =>
          // What is fixed stands in the address already.
          input.value === undefined ? <Input key={key} name={`{${key}}`} input={input} /> : null,
        )}
        {headers.map((one) => (
          <Input key={one.name} name={one.value === undefined ? one.name : `${one.name}: ${one.value}`} input={one} />
        ))}
      </dl>
      <details>
        <summary>Set up a client</summary>
        <ClientSetUp
          address={{ name: connectionNameFor(name), url, ...(token === undefined ? {} : { token: `<${token}>` }) }}
        />
      </details>
    </section>
  );
}

function Input({ name, input }: { name: string; input: RegistryInput }) {
  const { description, isRequired = false, isSecret = false } = input;
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        {description}{' '}
        <span className="faint">
          {[isRequired ? 'required' : '', isSecret ? 'secret' : ''].filter(Boolean).join(', ')}
        </span>
      </dd>
    </>
  );
}
