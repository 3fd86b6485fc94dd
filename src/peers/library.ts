/** The package as a library: `import { connect } from 'vak-workbench'` (docs/library.md). */
import { TaskFailure } from '../engine/work/task-failure.ts';
import { VakError } from '../shared/base/vak-error.ts';
import { connectWith } from './library/connect.ts';
import { openEmbeddedEngine } from './library/embedded-engine.ts';
import type * as libraryApi from './library/library-api.ts';

/** What is exported is what the types say, each name of them. */
const library: typeof libraryApi = {
  connect: async (options) => await connectWith(options, process.env),
  openEmbedded: openEmbeddedEngine,
  VakError,
  TaskFailure,
};

export const { connect, openEmbedded } = library;
export { TaskFailure, VakError };
