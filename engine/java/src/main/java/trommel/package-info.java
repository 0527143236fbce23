/**
 * Trommel for Java: approximate multisets of keys that change, in native memory. {@link
 * trommel.CountingFilter}, {@link trommel.ConcurrentFilter}, {@link trommel.ScalableFilter} and {@link
 * trommel.WindowFilter} hold keys, {@link trommel.ColumnMap} holds keys by columns; {@link
 * trommel.Keys} is a batch of keys for all of them. JAVA.md is the guide.
 */
package trommel;
