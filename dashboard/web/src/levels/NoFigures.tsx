/** In place of the blocks of a level whose figures a page does not have: the run has too many blocks. */
export const NoFigures = () => (
  <p class="note">
    This page does not hold the figures of this level: <code>disnplbm cut</code> writes them.
  </p>
);
