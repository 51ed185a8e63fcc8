// SPDX-License-Identifier: Apache-2.0

// Writes the rows of an Iceberg table, as iceberg-go reads them, to standard output as an Arrow IPC stream.
//
//	read METADATA SNAPSHOT COLUMN…
//
// SNAPSHOT is an id, or "-" for the table's current one; the columns may be metadata columns. Variants come as text.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/variant"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: read METADATA SNAPSHOT COLUMN…")
		os.Exit(2)
	}
	if err := read(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(ctx context.Context, metadata, snapshot string, columns []string) error {
	opened, err := table.NewFromLocation(ctx, table.Identifier{"interop"}, metadata, io.LoadFSFunc(nil, metadata), nil)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	options := []table.ScanOption{table.WithSelectedFields(columns...)}
	if snapshot != "-" {
		id, err := strconv.ParseInt(snapshot, 10, 64)
		if err != nil {
			return err
		}
		options = append(options, table.WithSnapshotID(id))
	}
	schema, batches, err := opened.Scan(options...).ToArrowRecords(ctx)
	if err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	var out *ipc.Writer
	for batch, err := range batches {
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		batch, err = plainVariants(batch)
		if err != nil {
			return fmt.Errorf("variants: %w", err)
		}
		if out == nil {
			// the batches' schema may differ from the one announced, in what is large or nullable
			out = ipc.NewWriter(os.Stdout, ipc.WithSchema(batch.Schema()))
		}
		if err := out.Write(batch); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	if out == nil {
		out = ipc.NewWriter(os.Stdout, ipc.WithSchema(schema))
	}
	return out.Close()
}

// plainVariants replaces the columns that are variants by their JSON.
func plainVariants(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	fields, columns := []arrow.Field{}, []arrow.Array{}
	for i, field := range batch.Schema().Fields() {
		column := batch.Column(i)
		if variants, ok := column.(*extensions.VariantArray); ok {
			text, err := texts(variants)
			if err != nil {
				return nil, err
			}
			column = text
			field = arrow.Field{Name: field.Name, Type: column.DataType(), Nullable: true}
		}
		fields, columns = append(fields, field), append(columns, column)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, batch.NumRows()), nil
}

func texts(variants *extensions.VariantArray) (arrow.Array, error) {
	builder := array.NewStringBuilder(memory.DefaultAllocator)
	for i := 0; i < variants.Len(); i++ {
		if variants.IsNull(i) {
			builder.AppendNull()
		} else {
			value, err := variants.Value(i)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(plain(value))
			if err != nil {
				return nil, err
			}
			builder.Append(string(text))
		}
	}
	return builder.NewArray(), nil
}

// plain keeps arrays without elements, which the JSON of variants has as null.
func plain(value variant.Value) any {
	switch v := value.Value().(type) {
	case variant.ArrayValue:
		items := make([]any, 0, v.Len())
		for item := range v.Values() {
			items = append(items, plain(item))
		}
		return items
	case variant.ObjectValue:
		fields := map[string]any{}
		for name, field := range v.Values() {
			fields[name] = plain(field)
		}
		return fields
	default:
		return value
	}
}
