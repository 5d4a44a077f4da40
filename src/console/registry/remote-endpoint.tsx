import type { RegistryInput, RegistryRemote } from '../../contract/registry/registry-api.ts';
import { formatRemoteUrl, toConnectionName } from '../../contract/registry/remote-connection.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { ClientInstructions } from '../hub/clients/client-instructions.tsx';

const transportNames: Readonly<Record<string, string>> = {
  'streamable-http': 'Streamable HTTP',
  sse: 'HTTP with SSE (older)',
};
const bearerTemplate = /^Bearer \{([^{}]+)\}$/;

export function RemoteEndpoint({ name, remote }: { name: string; remote: RegistryRemote }) {
  const { type, headers = [], variables = {} } = remote;
  const url = formatRemoteUrl(remote);
  const header = headers.find((candidate) => candidate.name.toLowerCase() === 'authorization');
  const [, token] = bearerTemplate.exec(header?.value ?? '') ?? [];
  const title = headers.some(({ isRequired }) => isRequired) ? 'With a header' : 'Without a credential';
  return (
    <section className="remote" aria-label={url}>
      <h2>
        {token === undefined ? title : 'With a token'}{' '}
        <span className="faint plain">{transportNames[type] ?? type}</span>
      </h2>
      <p className="command">
        <code>{url}</code>
        <CopyButton text={url} />
      </p>
      <dl className="inputs">
        {Object.entries(variables).map(([key, input]) =>
          // The URL already contains fixed values.
          input.value === undefined ? <InputDescription key={key} name={`{${key}}`} input={input} /> : null,
        )}
        {headers.map((headerInput) => (
          <InputDescription
            key={headerInput.name}
            name={headerInput.value === undefined ? headerInput.name : `${headerInput.name}: ${headerInput.value}`}
            input={headerInput}
          />
        ))}
      </dl>
      <details>
        <summary>Set up a client</summary>
        <ClientInstructions
          endpoint={{ name: toConnectionName(name), url, ...(token === undefined ? {} : { token: `<${token}>` }) }}
        />
      </details>
    </section>
  );
}

function InputDescription({ name, input }: { name: string; input: RegistryInput }) {
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
