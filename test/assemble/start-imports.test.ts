/** What the start of a control plane loads. A package that is loaded there costs every start. */
import { build } from 'esbuild';
import t from 'tap';

const entry = 'src/assemble/control-plane/control-plane.ts';
const later = /^(@modelcontextprotocol\/|zod\b|oidc-provider|openid-client|nodemailer|protobufjs)/;

t.test('a control plane starts without the packages that its first calls load', async (t) => {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    outdir: 'unwritten',
    loader: { '.sql': 'text', '.md': 'text', '.html': 'text', '.css': 'text' },
    logLevel: 'silent',
  });
  const reached = new Set([entry]);
  const packages: string[] = [];
  for (const file of reached)
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (!external) reached.add(path);
      else if (later.test(path)) packages.push(`${file}: ${path}`);
    }
  t.ok(reached.size > 500, 'the modules of the start are found');
  t.same(packages, []);
});
