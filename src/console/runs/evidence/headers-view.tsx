/** Headers are collapsed by default: they are long and seldom explain a failure. */
export function HeadersView({
  headers,
  open = false,
}: {
  headers: readonly (readonly [string, string])[];
  open?: boolean;
}) {
  return (
    <details className="headers" open={open}>
      <summary>{headers.length} headers</summary>
      <dl>
        {headers.map(([name, value], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name may occur twice, and lines never change places
          <div key={index}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
