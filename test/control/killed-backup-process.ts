/** Backs up a folder and kills itself when the given share of the given phase of a store is reported, or one that is linked. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { backUpStores } from '../../src/store/backup.ts';

const [folder = '', target = '', killAt = ''] = process.argv.slice(2);
const die = (moment: string): void => {
  if (moment === killAt) process.kill(process.pid, 'SIGKILL');
};
const { linkSync } = fs;
let links = 0;
fs.linkSync = (from, to) => {
  links += 1;
  die(`link ${links}`);
  linkSync(from, to);
};
syncBuiltinESMExports();
await backUpStores(folder, target, process.pid, (store, phase) => die(`${phase} ${store}`));
die('end');
