/**
 * Packs the extension: `node editors/vscode/pack.mjs` writes dist/vp-scenarios.vsix, which `code --install-extension` takes.
 *
 * A VSIX is a ZIP with two lists beside the files (Open Packaging Conventions). The packer of the marketplace, @vscode/vsce, brings
 * a hundred packages for publishing, which nothing here does.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { strToU8, zipSync } from 'fflate';

const folder = import.meta.dirname;
const read = (name) => readFileSync(join(folder, name));

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".md" ContentType="text/markdown"/>
  <Default Extension=".txt" ContentType="text/plain"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
`;

function renderManifest({ name, version, publisher, displayName, description, categories, engines }) {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${displayName}</DisplayName>
    <Description xml:space="preserve">${description}</Description>
    <Categories>${categories.join(',')}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${engines.vscode}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}

/** The bytes of the package; the same for the same sources. */
export async function packExtension() {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'extension.cjs')],
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node20', minify: true },
    ...{ external: ['vscode'], legalComments: 'none', logLevel: 'warning' },
  });
  const files = {
    '[Content_Types].xml': strToU8(contentTypes),
    'extension.vsixmanifest': strToU8(renderManifest(JSON.parse(read('package.json').toString('utf8')))),
    'extension/package.json': new Uint8Array(read('package.json')),
    'extension/README.md': new Uint8Array(read('README.md')),
    'extension/LICENSE.txt': new Uint8Array(read('../../LICENSE')),
    'extension/extension.js': outputFiles[0].contents,
  };
  return zipSync(files, { mtime: new Date(2026, 0, 1) });
}

if (process.argv[1] === import.meta.filename) {
  const file = join(folder, '../../dist/vp-scenarios.vsix');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await packExtension());
  process.stdout.write(`${file}\n`);
}
