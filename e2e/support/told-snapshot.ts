/** Tells a page what the engine would: for states that take long, or several peers, to come about. */
import type { AppContract } from '../../src/shared/contract/app-contract.ts';
import type { SnapshotName, SnapshotUpdate, SnapshotValue } from '../../src/shared/contract/define-contract.ts';
import type { Workbench } from './workbench.ts';

/** Newer than whatever the engine says of it afterwards: this name stays as it was told. */
const firstVersion = Number.MAX_SAFE_INTEGER - 100;

/** `turn`: counts up where the same name is told more than once. */
export async function tellSnapshot<Name extends SnapshotName<AppContract>>(
  { app }: Pick<Workbench, 'app'>,
  name: Name,
  value: SnapshotValue<AppContract, Name>,
  turn = 0,
): Promise<void> {
  const update: SnapshotUpdate = { name, version: firstVersion + turn, text: JSON.stringify(value) };
  await app.evaluate(
    ({ BrowserWindow }, told) => BrowserWindow.getAllWindows()[0]?.webContents.send('bridge:snapshot', told),
    update,
  );
}
