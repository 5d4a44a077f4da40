/** The extension of Visual Studio Code as it is packed. */
import { Script } from 'node:vm';
import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';

t.test('the package has its lists, and one program that needs nothing but the editor', async (t) => {
  const { packExtension }: { packExtension: () => Promise<Uint8Array> } = await import(
    new URL('../../editors/vscode/pack.mjs', import.meta.url).href
  );
  const files = unzipSync(await packExtension());
  const read = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
  t.same(Object.keys(files).sort(), [
    '[Content_Types].xml',
    'extension.vsixmanifest',
    'extension/LICENSE.txt',
    'extension/README.md',
    'extension/extension.js',
    'extension/package.json',
  ]);
  const manifest = JSON.parse(read('extension/package.json'));
  t.match(manifest, { main: './extension.js', activationEvents: ['onLanguage:markdown'] });
  t.match(manifest, { capabilities: { untrustedWorkspaces: { supported: false } } });
  t.match(
    manifest.contributes.configuration.properties['vp.path'],
    { scope: 'machine' },
    'no folder chooses the program',
  );
  t.match(read('extension.vsixmanifest'), `Id="${manifest.name}" Version="${manifest.version}"`);
  const program = read('extension/extension.js');
  t.ok(new Script(program));
  const required = new Set(Array.from(program.matchAll(/\brequire\("([^"]+)"\)/g), ([, name = '']) => name));
  const builtin = new Set((await import('node:module')).builtinModules);
  t.same(
    [...required].filter((name) => name !== 'vscode' && !builtin.has(name.replace(/^node:/, ''))),
    [],
  );
});
