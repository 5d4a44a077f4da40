/** The files of a kit, except the binary. */
import { readAsset } from '../../environment/asset.ts';
import { buildReferenceFiles } from '../compose/stacks/reference-files.ts';

/** `name` is relative to the kit's folder, with `/`. */
export type KitFile = { readonly name: string; readonly text: string; readonly isExecutable: boolean };

/** Binary and manifest of a kit. */
export const binaryFile = 'bin/vp';
export const manifestFile = 'kit.json';

const scripts = ['onboarding/onboard.sh', 'onboarding/teardown.sh'];

/** The `.gitignore` keeps the kit out of repositories: it will contain a key. */
export function buildKitFiles(): readonly KitFile[] {
  return [
    ...scripts.map((name) => ({ name, text: readAsset(`kit/${name}`), isExecutable: true })),
    ...buildReferenceFiles().map((file) => ({ ...file, isExecutable: false })),
    { name: 'README.md', text: readAsset('kit/README.md'), isExecutable: false },
    { name: '.gitignore', text: '*\n', isExecutable: false },
  ];
}
