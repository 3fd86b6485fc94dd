/** What each stream of the workspace keeps and holds now, as the engine in use has it. */
import type { Holdings, StreamHolding } from '../../../shared/contract/settings-contract.ts';
import { currentContext } from '../../ui/connection-words.ts';
import { formatBytes, formatCount, formatPercent } from '../../ui/format.ts';
import { useSnapshot } from '../../workbench.tsx';
import { ageWords, bytesWords, differenceWords, fillOf, fullWords, ownerWords, purposeOf } from './retention-words.ts';
import './retention-table.css';

function Row({ holding }: { readonly holding: StreamHolding }) {
  const { kind, name, kept, asked, messageCount, bytes } = holding;
  const shown = kept ?? asked;
  const fill = fillOf(holding);
  const difference = differenceWords(holding);
  return (
    <tr data-testid={`stream-${kind}`} data-differs={difference !== undefined}>
      <th scope="row">
        <span className="data" title={name}>
          {kind}
        </span>{' '}
        <span className="dim">{purposeOf(kind)}</span>
      </th>
      <td className="retention-number data">{ageWords(shown)}</td>
      <td className="retention-number data">{bytesWords(shown)}</td>
      <td className="dim">{fullWords(shown)}</td>
      <td className="retention-number data">{formatCount(messageCount)}</td>
      <td className="retention-number data">{formatBytes(bytes)}</td>
      <td className="retention-number data">{fill === undefined ? '–' : formatPercent(fill * 100, 1)}</td>
      <td className="retention-asked">{difference ?? ''}</td>
    </tr>
  );
}

export function RetentionTable({ holdings }: { readonly holdings: Holdings | undefined }) {
  const context = currentContext(useSnapshot('connections.state'));
  if (holdings === undefined) return <p className="late dim">Looking at the streams…</p>;
  const { streams, why } = holdings;
  if (streams === null) return <p className="dim">The streams cannot be looked at: {why}.</p>;
  return (
    <>
      <p className="dim">{ownerWords(context?.kind)}</p>
      <div className="retention-scroll">
        <table className="retention" data-testid="retention" aria-label="Streams">
          <thead>
            <tr>
              <th scope="col">Stream</th>
              <th scope="col" className="retention-number">
                Keeps
              </th>
              <th scope="col" className="retention-number">
                At most
              </th>
              <th scope="col">When full</th>
              <th scope="col" className="retention-number">
                Messages
              </th>
              <th scope="col" className="retention-number">
                Holds
              </th>
              <th scope="col" className="retention-number">
                Full
              </th>
              <th scope="col">
                <span className="visually-hidden">What is asked for</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {streams.map((holding) => (
              <Row key={holding.kind} holding={holding} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
